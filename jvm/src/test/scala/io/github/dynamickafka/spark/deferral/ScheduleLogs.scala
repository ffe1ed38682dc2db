package io.github.dynamickafka.spark.deferral

import scala.collection.mutable
import scala.util.Random

import io.github.dynamickafka.spark.deferral.ScheduleWorld.{Partitions, Records, Row}
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, SourceOffset}
import io.github.dynamickafka.spark.plan.OffsetRange

/** The logs of all partitions. Each is cut off once at most, and grows at once to its full length, by a leader of epoch 1. */
final private[deferral] class ScheduleLogs {
  private val cuts = mutable.Map.empty[PartitionId, Long]
  // Where the driver has said to a task that it knows of the cut. It proves no such cut itself.
  private val known = mutable.Set.empty[PartitionId]

  /** Cuts one of them off, unless it was cut off before. */
  def cut(random: Random): String = {
    val id = Partitions(random.nextInt(Partitions.size))
    val at = cuts.getOrElseUpdate(id, random.nextInt(Records.toInt).toLong)
    s"the log of ${id.partition} is cut off at $at"
  }

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

  /** The same offset, or where the driver goes on that finds logs cut off below it. */
  def proven(at: SourceOffset): SourceOffset = {
    val cut = for {
      (id, cut) <- cuts if !known(id)
      position  <- at.get(id) if position.next > cut && position.epoch.contains(0)
    } yield id -> PartitionOffset(cut, cut, position.incarnation + 1, Some(1))
    if (cut.isEmpty) at else ScheduleWorld.offset(at.partitions.toMap ++ cut)
  }
}
