package io.github.dynamickafka.spark.driver.memory

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered

/** The drains that this start of the query has seen and that have not ended yet.
  *
  * @param ends where the log of each partition ended when it was last asked, by cluster and topic
  */
final case class OpenDrains(ends: Map[(ClusterId, String), Map[Int, Long]] = Map.empty) {

  /** The drains after one more step, which has led to this offset.
    *
    * @param known how far each partition could be read before: a topic that stops at once is asked about no more
    */
  def asked(
      seen: Map[ClusterId, ClusterObservation],
      before: SourceOffset,
      now: SourceOffset,
      known: PartitionMap[Long] = PartitionMap.empty
  ): OpenDrains = {
    val open = for {
      (id, name, topic) <- now.topics if topic.removal.isDefined
      was = before.topic(id, name)
      if topic.drains || was.forall(held => held.drains || held.removal.isEmpty) || ends.contains(id -> name)
    } yield {
      val reported = seen.get(id).flatMap(_.present(name)).filterNot(_.isAnother(topic)).toVector
        .flatMap(_.partitions).map { case (partition, extent) => partition -> extent.written }
      (id, name) -> (ends.getOrElse(id -> name, known.topic(id, name)) ++ reported)
    }
    OpenDrains(open.toMap ++ deleted(seen, before, now).map(_ -> Map.empty[Int, Long]))
  }

  /** Those whose topics have no id of Kafka's, and are no longer held, because they no longer exist. */
  private def deleted(
      seen: Map[ClusterId, ClusterObservation],
      before: SourceOffset,
      now: SourceOffset
  ): Iterator[(ClusterId, String)] = for {
    (id, answer: Answered) <- seen.iterator
    name                   <- answer.topics.keysIterator
    was                    <- before.topic(id, name).iterator if was.drains || was.removal.isEmpty
    if now.topic(id, name).isEmpty
  } yield id -> name

  /** Those that have ended, now that the query holds this offset, and the rest. */
  def ended(held: SourceOffset): (Vector[DrainEnded], OpenDrains) = {
    val (open, over) = ends.partition { case ((id, name), _) => held.topic(id, name).exists(_.drains) }
    val reports      = for {
      ((id, name), logEnds) <- over.toVector.sortBy(_._1)
      topic = held.topic(id, name) if topic.forall(_.removal.isDefined)
    } yield DrainEnded(id, name, topic.fold(0L)(beyond(_, logEnds)))
    (reports, OpenDrains(open))
  }

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
