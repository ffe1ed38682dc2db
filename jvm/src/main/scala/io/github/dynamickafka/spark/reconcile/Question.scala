package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** A point of a partition that only its brokers can turn into an offset. */
final case class Question(id: PartitionId, point: OffsetPoint)

object Question {

  /** What the brokers said; nothing where there is no such record, or commit. */
  type Answers = Map[Question, Option[Long]]

  /** The offset of a point, or nothing while it is not known.
    *
    * @param late the offset of a time that no record is as late as
    */
  def offset(
      id: PartitionId,
      point: OffsetPoint,
      extent: Extent,
      answers: Answers,
      late: Option[Long]
  ): Option[Long] = point match {
    case OffsetPoint.Earliest                => Some(extent.earliest)
    case OffsetPoint.Latest                  => Some(extent.latest)
    case OffsetPoint.Exact(offset)           => Some(offset)
    case OffsetPoint.Timestamp(_)            => answers.get(Question(id, point)).flatMap(_.orElse(late))
    case OffsetPoint.Committed(_, otherwise) =>
      answers.get(Question(id, point)).flatMap(_.orElse(offset(id, otherwise, extent, answers, late)))
  }
}
