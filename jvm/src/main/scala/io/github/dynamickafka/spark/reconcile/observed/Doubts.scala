package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{Removal, SourceOffset}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Silent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Present}
import io.github.dynamickafka.spark.reconcile.topic.BeyondEnd

/** What is held and looks gone, and since when one ask after the other says so.
  *
  * One answer may come from a broker that is behind: what looks gone counts as gone only when asks agree that are spread
  * over some time. An ask that says otherwise, or that is not answered, begins the time anew.
  *
  * @param absent topics that their cluster says not to have, with the asks that agree on it
  * @param beyond partitions whose log ends before the position that the query has read up to, likewise
  * @param cut what is known of these logs
  */
final case class Doubts(
    absent: Map[(ClusterId, String), Agreement] = Map.empty,
    beyond: Map[PartitionId, Agreement] = Map.empty,
    cut: Map[PartitionId, CutLog] = Map.empty
) {

  /** The doubts after one more ask of the clusters.
    *
    * @param held what was held when they were asked
    * @param seen what the clusters said that are what they were; while one is silent, the asks before it stand
    * @param at when each of them was asked
    * @param ends how far a partition could be read before, as far as is known
    */
  def asked(
      held: SourceOffset,
      seen: Map[ClusterId, ClusterObservation],
      at: ClusterId => Instant,
      ends: PartitionId => Option[Long] = _ => None
  ): Doubts = {
    val silent = seen.collect { case (id, _: Silent) => id }.toSet
    val topics = for {
      (id, answer: Answered) <- seen.toVector
      cluster                <- held.clusters.get(id).toVector
      (name, topic)          <- cluster.topics
      reported               <- answer.topics.get(name)
    } yield (id, name, topic, reported)
    Doubts(
      absent = absent.filter { case ((id, _), _) => silent(id) } ++ topics.collect { case (id, name, _, Absent) =>
        (id, name) -> absent.get(id -> name).fold(Agreement.of(at(id)))(_.and(at(id)))
      },
      beyond = beyond.filter { case (id, _) => silent(id.cluster) } ++ (for {
        (id, name, topic, present: Present) <- topics
        (partition, _)                      <- BeyondEnd.read(topic, present.partitions)
        here = PartitionId(id, name, partition)
        same = cut.get(here).exists(_.isOf(topic.partitions(partition)))
      } yield here -> beyond.get(here).filter(_ => same).fold(Agreement.of(at(id)))(_.and(at(id)))),
      cut = cut.filter { case (id, _) => silent(id.cluster) } ++ CutLog.asked(cut, held, seen, ends)
    )
  }

  /** Whether a topic that its cluster says not to have counts as deleted.
    *
    * @param spread how long the asks must agree
    */
  def deleted(cluster: ClusterId, topic: String, spread: Duration): Boolean =
    absent.get(cluster -> topic).exists(_.spans(spread))

  /** Whether a log that ends before the position counts as cut off. */
  def cutOff(id: PartitionId, spread: Duration): Boolean = beyond.get(id).exists(_.spans(spread))

  /** The loss of listed topics that count as deleted, if any do.
    *
    * @param held what is held now
    */
  def loss(held: SourceOffset, spread: Duration): Option[Failure] = {
    val gone = for {
      ((cluster, name), asks) <- absent.toVector.sortBy(_._1)
      topic                   <- held.clusters.get(cluster).flatMap(_.topics.get(name))
      if topic.removal.isEmpty && asks.spans(spread)
    } yield s"topic $name of cluster $cluster"
    Option.when(gone.nonEmpty)(Failure(
      Condition.DataLoss,
      s"Deleted in Kafka, though the metadata lists it: ${gone.mkString(", ")}. What was not read of it is lost. Take it " +
        "off the metadata; or, to wait until it is created again, set failOnDataLoss to false."
    ))
  }

  /** Whether more asks would decide anything: something looks gone, and they do not agree for long enough yet.
    *
    * @param lossFails whether a listed topic that is deleted fails the query; else it is waited for
    */
  def open(held: SourceOffset, spread: Duration, lossFails: Boolean): Boolean = {
    def decides(cluster: ClusterId, name: String) =
      held.clusters.get(
        cluster
      ).flatMap(_.topics.get(name)).exists(_.removal.fold(lossFails)(_.isInstanceOf[Removal.Open]))
    absent.exists { case ((cluster, name), asks) => !asks.spans(spread) && decides(cluster, name) } ||
    beyond.exists { case (_, asks) => !asks.spans(spread) }
  }
}

object Doubts {
  val none: Doubts = Doubts()
}
