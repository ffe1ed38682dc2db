package io.github.dynamickafka.spark.driver.uncommitted

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure, Named, Say}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, ReadObstacle, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Hidden, Present}
import io.github.dynamickafka.spark.reconcile.report.SkippedTopics

/** A range of an uncommitted batch that can't be read now, and why. */
final case class UnreadableRange(range: OffsetRange, why: Failure)

object UnreadableRange {

  /** @param end the offset at which the batch ends
    * @param seen the answers of the clusters; a cluster whose address is unknown is left out
    */
  def of(
      ranges: Vector[OffsetRange],
      end: SourceOffset,
      seen: Map[ClusterId, ClusterObservation]
  ): Vector[UnreadableRange] = {
    val known = ClusterObservation.recognised(end, seen)
    for {
      range <- ranges
      why   <- known.get(range.id.cluster).fold(Option(notListed(range.id.cluster)))(because(range.id, end, _))
    } yield UnreadableRange(range, why)
  }

  private def because(id: PartitionId, end: SourceOffset, seen: ClusterObservation): Option[Failure] = seen match {
    case Failed(failure) => Some(failure)
    // Here the caller waits, so a silent cluster always has a report.
    case Silent(report)      => report
    case Answered(_, topics) => topics.get(id.topic).fold(Option(untold(id)))(because(id, end, _))
  }

  // A topic that was deleted or re-created is not merely out of reach: failOnDataLoss decides about it.
  private def because(id: PartitionId, end: SourceOffset, seen: TopicObservation): Option[Failure] = seen match {
    case Absent           => None
    case Hidden           => held(id, ReadObstacle.hidden)
    case present: Present =>
      if (end.topic(id.cluster, id.topic).exists(present.isAnother)) None
      else if (present.obstacle.failed(id.partition)) held(id, present.obstacle.only(id.partition))
      // Of a partition that the answer leaves out nothing is known. Its task will find out.
      else None
  }

  private def held(id: PartitionId, obstacle: ReadObstacle): Option[Failure] =
    SkippedTopics(id.cluster, SortedMap(id.topic -> obstacle)).failure

  private def notListed(id: ClusterId): Failure = Failure(
    Condition.ClusterNotListed,
    say"Cluster $id is no longer listed, so its address is unknown. List it again (`topics: []` is enough) so that this " +
      "part can be read."
  )

  private def untold(id: PartitionId): Failure =
    Failure(
      Condition.ClusterUnreachable,
      say"The brokers of cluster ${id.cluster} did not answer about topic ${Named.topic(id.topic)}."
    )
}
