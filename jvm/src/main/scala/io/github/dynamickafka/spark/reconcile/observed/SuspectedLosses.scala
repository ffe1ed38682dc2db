package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, Removal, SourceOffset}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Silent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Present}

/** Topics and records that are held and look gone: deleted topics, and logs that were truncated. And since when every ask
  * has said so.
  *
  * A single answer may come from a broker that is behind. So something counts as gone only when several asks agree over some
  * time. An ask that disagrees, or that fails, starts that time again.
  *
  * @param absent topics that do not exist by their cluster's answer, with the asks that agree on it
  * @param cut partitions whose log ends before the position that the query has read up to
  */
final case class SuspectedLosses(
    absent: Map[(ClusterId, String), Agreement] = Map.empty,
    cut: Map[PartitionId, TruncatedLog] = Map.empty
) {

  /** The suspected losses after one more ask of the clusters.
    *
    * @param held what was held when they were asked
    * @param seen what the clusters answered; while one is silent, its earlier asks count on
    * @param at when each of them was asked
    * @param ends how far a partition could be read before, as far as is known
    */
  def asked(
      held: SourceOffset,
      seen: Map[ClusterId, ClusterObservation],
      at: ClusterId => Instant,
      ends: PartitionId => Option[Long] = _ => None
  ): SuspectedLosses = {
    val silent = seen.collect { case (id, _: Silent) => id }.toSet
    val topics = for {
      (id, answer: Answered) <- seen.toVector
      cluster                <- held.clusters.get(id).toVector
      (name, topic)          <- cluster.topics
      reported               <- answer.topics.get(name)
    } yield (id, name, topic, reported)
    val gone = topics.collect { case (id, name, _, Absent) =>
      (id, name) -> absent.get(id -> name).fold(Agreement(at(id), at(id)))(_.and(at(id)))
    }
    val shorter = for {
      (id, name, topic, present: Present) <- topics
      (partition, position, end)          <- present.truncated(topic)
      here   = PartitionId(id, name, partition)
      unread = ends(here).fold(0L)(known => Math.max(0L, known - position.next))
      first  = TruncatedLog(Agreement(at(id), at(id)), end, unread, position.incarnation)
    } yield here -> cut.get(here).filter(_.isOf(position)).fold(first)(_.and(at(id), end))
    SuspectedLosses(
      absent.filter { case ((id, _), _) => silent(id) } ++ gone,
      cut.filter { case (id, _) => silent(id.cluster) } ++ shorter
    )
  }

  /** Whether a topic that is missing on its cluster counts as deleted.
    *
    * @param spread how long the asks must agree
    */
  def deleted(cluster: ClusterId, topic: String, spread: Duration): Boolean =
    absent.get(cluster -> topic).exists(_.spans(spread))

  /** What is known of a log, if it counts as truncated before this position. */
  def truncated(id: PartitionId, position: PartitionOffset, spread: Duration): Option[TruncatedLog] =
    cut.get(id).filter(log => log.isOf(position) && log.asks.spans(spread))

  /** The failure that names all listed topics that count as deleted, if there are any.
    *
    * @param held what is held now
    */
  def loss(held: SourceOffset, spread: Duration): Option[Failure] = {
    val gone = for {
      ((cluster, name), asks) <- absent.toVector.sortBy(_._1) if asks.spans(spread)
      topic                   <- held.topic(cluster, name) if topic.removal.isEmpty
    } yield Named.topicOf(cluster, name)
    Option.when(gone.nonEmpty)(Failure(
      Condition.DataLoss,
      say"Deleted in Kafka, though the metadata lists it: ${Wording.first(gone)}. What was not read of it is lost. Take it " +
        "off the metadata; or, to wait until it is created again, set failOnDataLoss to false."
    ))
  }

  /** Whether more asks are needed to decide: something looks gone, and the asks have not agreed for long enough yet.
    *
    * @param lossFails whether a listed topic that is deleted fails the query; else it is waited for
    */
  def open(held: SourceOffset, spread: Duration, lossFails: Boolean): Boolean = {
    def decides(cluster: ClusterId, name: String) =
      held.topic(cluster, name).exists(_.removal.fold(lossFails)(_.isInstanceOf[Removal.Open]))
    absent.exists { case ((cluster, name), asks) => !asks.spans(spread) && decides(cluster, name) } ||
    cut.exists { case (_, log) => !log.asks.spans(spread) }
  }
}

object SuspectedLosses {
  val none: SuspectedLosses = SuspectedLosses()
}

/** Successive asks of a cluster that gave the same answer. An ask counts at the time when it was made, and only once, even
  * if its answer is used several times.
  *
  * @param first the time of the first ask
  * @param last the time of the newest ask
  */
final case class Agreement(first: Instant, last: Instant) {

  /** The same after an ask that agrees. One before the first means that the clock was set back: the time begins anew. */
  def and(asked: Instant): Agreement =
    if (asked.isBefore(first)) Agreement(asked, asked) else if (asked.isAfter(last)) copy(last = asked) else this

  /** Whether they span at least this time. */
  def spans(time: Duration): Boolean = !first.plus(time).isAfter(last)
}

/** What is known of a log that ends before what was read of it.
  *
  * @param asks the asks that agree on it
  * @param lowest the lowest end that they saw. Records from there on were written after the truncation
  * @param unread how many records of the old log are known to have been unread
  * @param incarnation of the position that lies beyond the end. A later incarnation belongs to another log
  */
final case class TruncatedLog(asks: Agreement, lowest: Long, unread: Long, incarnation: Int) {
  def isOf(position: PartitionOffset): Boolean = incarnation == position.incarnation

  /** The same after an ask that agrees. */
  def and(asked: Instant, end: Long): TruncatedLog = copy(asks = asks.and(asked), lowest = Math.min(lowest, end))
}
