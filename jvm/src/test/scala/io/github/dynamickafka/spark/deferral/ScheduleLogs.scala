package io.github.dynamickafka.spark.deferral

import scala.collection.mutable

import io.github.dynamickafka.spark.deferral.ScheduleWorld.{Partitions, Records, Row}
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, SourceOffset}
import io.github.dynamickafka.spark.plan.OffsetRange

/** The logs of all partitions. Each is cut off once at most, and grows at once to its full length, by a leader of epoch 1. */
final private[deferral] class ScheduleLogs {
  private val cuts = mutable.Map.empty[PartitionId, Long]
  // Where the driver has said to a task that it knows of the cut. It proves no such cut itself.
  private val known = mutable.Set.empty[PartitionId]

  def cut(id: PartitionId, at: Long): Unit = cuts.getOrElseUpdate(id, at): Unit

  def knows(id: PartitionId): Unit = known += id

  /** What is there now. */
  def record(id: PartitionId, offset: Long): Row = (id, offset, if (cuts.get(id).exists(_ <= offset)) 1 else 0)

  /** All that is there now. */
  def records: Set[Row] = Partitions.flatMap(id => (0L until Records).map(record(id, _))).toSet

  /** Where a task finds the log of a range cut off that was planned before the cut. */
  def gone(range: OffsetRange): Option[Long] =
    cuts.get(range.id).filter(at => at < range.until && range.epochs.until.contains(0))

  /** Of its present leader. */
  def epoch(id: PartitionId): Int = if (cuts.contains(id)) 1 else 0

  /** Where the driver goes on, if it finds the log cut off below a position. */
  def proven(id: PartitionId, at: SourceOffset): Option[PartitionOffset] = for {
    cut      <- cuts.get(id) if !known(id)
    position <- at.get(id) if position.next > cut && position.epoch.contains(0)
  } yield PartitionOffset(cut, cut, position.incarnation + 1, Some(1))
}
