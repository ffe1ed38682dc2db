package io.github.dynamickafka.spark.reconcile.report

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.topic.RemovedTopic

/** The drains that this start of the query has seen and that have not ended yet.
  *
  * @param ends where the log of each partition ended when it was last asked, by cluster and topic
  */
final case class OpenDrains(ends: Map[(ClusterId, String), Map[Int, Long]] = Map.empty) {

  /** After one more ask of the clusters, which made of what was held this offset.
    *
    * @param known how far each partition could be read before: a topic that stops at once is asked about no more
    */
  def asked(
      seen: Map[ClusterId, ClusterObservation],
      before: SourceOffset,
      now: SourceOffset,
      known: Map[ClusterId, PartitionMap[Long]] = Map.empty
  ): OpenDrains = {
    val open = for {
      (id, cluster) <- now.clusters.iterator
      (name, topic) <- cluster.topics.iterator
      removal       <- topic.removal
      was = before.clusters.get(id).flatMap(_.topics.get(name)).flatMap(_.removal)
      if RemovedTopic.drains(topic, removal) || was.isEmpty || ends.contains(id -> name)
    } yield {
      val reported = seen.get(id).collect { case answer: Answered => answer.topics.get(name) }.flatten.collect {
        case present: Present => present.partitions.map { case (number, extent) => number -> extent.written }
      }
      def last = known.get(id).fold(SortedMap.empty[Int, Long])(_.topic(id, name))
      (id, name) -> reported.orElse(ends.get(id -> name)).getOrElse(last)
    }
    OpenDrains(open.toMap ++ deleted(seen, before, now).map(_ -> Map.empty[Int, Long]))
  }

  /** Those whose topics are not held any more, since they are not there any more. */
  private def deleted(
      seen: Map[ClusterId, ClusterObservation],
      before: SourceOffset,
      now: SourceOffset
  ): Iterator[(ClusterId, String)] = for {
    (id, answer: Answered) <- seen.iterator
    name                   <- answer.topics.keysIterator
    was                    <- before.clusters.get(id).flatMap(_.topics.get(name)).iterator
    if !drained(was) || was.removal.isEmpty
    if !now.clusters.get(id).exists(_.topics.contains(name))
  } yield id -> name

  /** Those that have ended, now that the query holds this offset, and the rest. */
  def ended(held: SourceOffset): (Vector[DrainEnded], OpenDrains) = {
    def topic(key: (ClusterId, String)) = held.clusters.get(key._1).flatMap(_.topics.get(key._2))
    val (over, open)                    = ends.partition { case (key, _) => topic(key).forall(drained) }
    val reports                         = for {
      (key, logEnds) <- over.toVector.sortBy(_._1)
      if topic(key).forall(_.removal.isDefined)
    } yield DrainEnded(key._1, key._2, topic(key).fold(0L)(beyond(_, logEnds)))
    (reports, OpenDrains(open))
  }

  private def drained(topic: TopicOffset) = !topic.removal.exists(RemovedTopic.drains(topic, _))

  private def beyond(topic: TopicOffset, logEnds: Map[Int, Long]): Long =
    logEnds.iterator.map { case (partition, end) =>
      topic.partitions.get(partition).fold(0L)(held => Math.max(0L, end - held.next))
    }.sum
}

object OpenDrains {
  val none: OpenDrains = OpenDrains()
}

/** A removed topic of which no more is read.
  *
  * @param beyond how many records lay beyond what was read of it, when it was last asked
  */
final case class DrainEnded(cluster: ClusterId, topic: String, beyond: Long) {
  override def toString: String = s"cluster=$cluster recordsBeyond=$beyond topic=$topic"
}
