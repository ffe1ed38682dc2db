package io.github.dynamickafka.spark.reconcile

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.TopicObservation.{Absent, Present}

/** What is held and looks gone, and since when one ask after the other says so.
  *
  * One answer may come from a broker that is behind: what looks gone counts as gone only when asks agree that are spread
  * over some time. An ask that says otherwise, or that is not answered, begins the time anew.
  *
  * @param absent topics that their cluster says not to have, with when the first of the agreeing asks was made
  * @param beyond partitions whose log ends before the position that the query has read up to, likewise
  */
final case class Doubts(
    absent: Map[(ClusterId, String), Instant] = Map.empty,
    beyond: Map[PartitionId, Instant] = Map.empty
) {

  /** The doubts after one more ask of the clusters.
    *
    * @param held what was held when they were asked
    * @param seen the answers, of the clusters that are what they were
    */
  def asked(held: SourceOffset, seen: Map[ClusterId, ClusterObservation], now: Instant): Doubts = {
    val topics = for {
      (id, answer: Answered) <- seen.toVector
      cluster                <- held.clusters.get(id).toVector
      (name, topic)          <- cluster.topics
      told                   <- answer.topics.get(name)
    } yield (id, name, topic, told)
    Doubts(
      absent = topics.collect { case (id, name, _, Absent) => (id, name) -> absent.getOrElse(id -> name, now) }.toMap,
      beyond = (for {
        (id, name, topic, present: Present) <- topics
        (partition, _)                      <- BeyondEnd.read(topic, present.partitions)
        here = PartitionId(id, name, partition)
      } yield here -> beyond.getOrElse(here, now)).toMap
    )
  }

  /** Whether a topic that its cluster says not to have counts as deleted.
    *
    * @param spread how long the asks must agree
    */
  def deleted(cluster: ClusterId, topic: String, spread: Duration, now: Instant): Boolean =
    absent.get(cluster -> topic).exists(agreed(_, spread, now))

  /** Whether a log that ends before the position counts as cut off. */
  def cutOff(id: PartitionId, spread: Duration, now: Instant): Boolean = beyond.get(id).exists(agreed(_, spread, now))

  /** The loss of listed topics that count as deleted, if any do. A removal may be on its way, so a fetch of the metadata
    * that began after they counted as deleted must still list them.
    *
    * @param held what is held now
    * @param fetched when the fetch began that lists them
    */
  def loss(held: SourceOffset, spread: Duration, now: Instant, fetched: Instant): Option[Failure] = {
    val gone = for {
      ((cluster, name), since) <- absent.toVector.sortBy(_._1)
      topic                    <- held.clusters.get(cluster).flatMap(_.topics.get(name))
      if topic.removal.isEmpty && agreed(since, spread, now) && fetched.isAfter(since.plus(spread))
    } yield s"topic $name of cluster $cluster"
    Option.when(gone.nonEmpty)(Failure(
      Condition.DataLoss,
      s"Deleted in Kafka, though the metadata lists it: ${gone.mkString(", ")}. What was not read of it is lost. Take it " +
        "off the metadata; or, to wait until it is created again, set failOnDataLoss to false."
    ))
  }

  private def agreed(since: Instant, spread: Duration, now: Instant): Boolean = !since.plus(spread).isAfter(now)
}

object Doubts {
  val none: Doubts = Doubts()
}
