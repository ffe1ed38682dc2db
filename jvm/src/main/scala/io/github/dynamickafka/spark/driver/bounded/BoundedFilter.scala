package io.github.dynamickafka.spark.driver.bounded

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{OffsetPoint, SourceOffset}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.plan.filter.{KeptRows, Place, Span}
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.succession.{Role, Roles}
import io.github.dynamickafka.spark.topology.Topology

/** The part of a topology that a batch read with a filter needs. What the filter leaves out fails nothing, as if it
  * were not listed.
  *
  * @param full everything that the metadata lists; nothing is paused
  * @param kept the rows that the filter may keep
  */
final class BoundedFilter(full: Topology, kept: KeptRows) {

  /** The clusters and topics that may have such rows. Which id reads a log is decided among all listed ones: a standby
    * topic has no rows, even if the filter leaves out the one that is read.
    */
  val topology: Topology = if (kept.fewer) reduced else full

  private def reduced: Topology = {
    val roles = Roles.of(SourceOffset.initial, full)
    val fewer = full.clusters.map { case (id, cluster) =>
      id -> cluster.copy(topics = cluster.topics.filter { case (name, stream) =>
        kept.in(Place(id, stream, name)).isDefined && !roles.of(id, name).isInstanceOf[Role.Standby]
      })
    }
    full.copy(clusters = fewer.filter { case (_, cluster) => cluster.topics.nonEmpty })
  }

  /** The part of a cluster's answer that may have such rows. A partition that can't be read does not matter if the
    * filter leaves it out.
    */
  def relevant(id: ClusterId, seen: ClusterObservation): ClusterObservation = seen match {
    case answer: Answered => answer.copy(topics = answer.topics.map { case (name, topic) =>
        name -> relevant(id, name, topic)
      })
    case other => other
  }

  private def relevant(id: ClusterId, name: String, topic: TopicObservation): TopicObservation = topic match {
    case present: Present => present.only(partition => keeps(PartitionId(id, name, partition)))
    case other            => other
  }

  /** The times to look up in a cluster that has answered. Its ends are fixed by then. So if no record is that late,
    * everything up to the end is earlier.
    */
  def times(id: ClusterId, answered: Answered): Set[Question] = (for {
    (name, present: Present) <- answered.topics.iterator
    (partition, extent)      <- present.partitions.iterator if extent.earliest < extent.latest
    here = PartitionId(id, name, partition)
    span <- in(here).iterator
    if span.first < extent.latest && span.last >= extent.earliest
    ms <- span.sinceMillis.iterator
  } yield Question(here, OffsetPoint.Timestamp(ms))).toSet

  /** What is left of a range; none if nothing is. Brokers find the first record at or after a time. So all records
    * before it are earlier, in any order of the partition's times.
    */
  def left(range: OffsetRange, answers: Map[Question, Option[Long]]): Option[OffsetRange] =
    in(range.id).flatMap { span =>
      val late  = span.sinceMillis.flatMap(ms => answers.get(Question(range.id, OffsetPoint.Timestamp(ms))))
      val from  = range.from.max(span.first).max(late.fold(range.from)(_.getOrElse(range.until)))
      val until = if (span.last < range.until) span.last + 1 else range.until
      Option.when(from < until)(range.part(from, until))
    }

  /** Whether a partition may have such rows. */
  def keeps(id: PartitionId): Boolean = in(id).isDefined

  private def in(id: PartitionId): Option[Span] = for {
    cluster <- topology.clusters.get(id.cluster)
    stream  <- cluster.topics.get(id.topic)
    span    <- kept.in(Place(id.cluster, stream, id.topic, Some(id.partition)))
  } yield span
}
