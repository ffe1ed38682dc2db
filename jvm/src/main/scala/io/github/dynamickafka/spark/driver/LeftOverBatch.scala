package io.github.dynamickafka.spark.driver

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say, Wording}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.{OffsetRange, PlannedBatch}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** A batch that an earlier start has logged and not finished. Its ranges belong to the clusters and topics that they
  * were planned on: at the same offsets, other clusters and topics have other records.
  *
  * @param batch what is read of it
  * @param lost the ranges of topics that were re-created since; they are not read
  */
final case class LeftOverBatch(batch: PlannedBatch, lost: Vector[OffsetRange])

object LeftOverBatch {

  /** What must be asked: the topics that the batch reads, by cluster. */
  def topics(batch: PlannedBatch): Map[ClusterId, Set[String]] =
    batch.ranges.groupMap(_.id.cluster)(_.id.topic).map { case (id, names) => id -> names.toSet }

  /** Ignores a cluster that does not answer: its tasks will wait for it, with their own time limit.
    *
    * @param end the offset at which the batch ends
    */
  def checked(
      batch: PlannedBatch,
      end: SourceOffset,
      seen: Map[ClusterId, ClusterObservation],
      failOnDataLoss: Boolean
  ): Either[Failure, LeftOverBatch] = {
    val changed = ClusterObservation.recognised(end, seen).toVector.sortBy(_._1).collectFirst {
      case (id, Failed(failure)) if failure.condition == Condition.ClusterChanged => id -> failure
    }
    val (lost, kept) = batch.ranges.partition(another(_, end, seen))
    (changed, lost) match {
      case (Some((id, failure)), _) => Left(unreadable(failure.condition, failure.wording, batch, Set(id)))
      case (None, ranges) if failOnDataLoss && ranges.nonEmpty =>
        Left(unreadable(Condition.TopicRecreated, lostText(ranges), batch, ranges.map(_.id.cluster).toSet))
      case _ => Right(LeftOverBatch(batch.copy(ranges = kept), lost))
    }
  }

  /** What is reported if loss is allowed. */
  def warning(lost: Vector[OffsetRange]): Failure = Failure(Condition.TopicRecreated, lostText(lost))

  /** Some of its ranges. There may be a hundred thousand. */
  def text(ranges: Vector[OffsetRange]): Wording =
    Wording.first(
      ranges.map(_.wording),
      "; ",
      "the batch lies between the last two files in `offsets` of the checkpoint"
    )

  private def another(range: OffsetRange, end: SourceOffset, seen: Map[ClusterId, ClusterObservation]): Boolean = {
    val known = end.clusters.get(range.id.cluster).flatMap(_.topics.get(range.id.topic)).flatMap(_.kafkaId)
    val now   = seen.get(range.id.cluster).collect { case Answered(_, topics) => topics.get(range.id.topic) }.flatten
    now.collect { case Present(Some(id), _, _) => id }.exists(id => known.exists(_ != id))
  }

  private def lostText(ranges: Vector[OffsetRange]): Wording =
    say"A batch that is already logged reads a topic that was re-created since: ${text(ranges)}. These records are lost. " +
      "To go on without them, set failOnDataLoss to false."

  // What is lost is never deferred.
  private def unreadable(
      condition: Condition,
      detail: Wording,
      batch: PlannedBatch,
      clusters: Set[ClusterId]
  ): Failure = {
    val lost = condition == Condition.TopicRecreated
    val out  = if (lost) batch.recoveryAdvice.giveUp(clusters) else batch.recoveryAdvice.text(clusters)
    Failure(condition, say"$detail${Wording.following(out)}")
  }
}
