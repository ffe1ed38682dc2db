package io.github.dynamickafka.spark.deferral

import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart, ReadBefore, SourceOffset}
import io.github.dynamickafka.spark.plan.{DeferredRanges, OffsetRange}

/** What the batches of a schedule have decided. It outlives each driver. */
final private[deferral] class ScheduleDecisions(note: String => Unit) {
  private var decided = Deferred.nothing

  def all: Deferred = decided

  def defer(ranges: Vector[OffsetRange], end: SourceOffset): Unit = {
    decided = decided ++ DeferredRanges.deferredBy(ranges, end)
    note(s"defers ${ranges.map(r => s"${r.id.partition}:${r.from}-${r.until}").mkString(" ")}")
  }

  def cutOff(cuts: Map[OffsetRange, Long], end: SourceOffset): Unit = {
    val parts = for {
      (range, at) <- cuts
      position    <- end.get(range.id)
    } yield range.id -> DeferredPart(at, position.next, position.incarnation, gone = true)
    decided = decided ++ Deferred(PartitionMap.from(parts))
    note(s"cut off: ${cuts.map { case (range, at) => s"${range.id.partition} at $at" }.mkString(" ")}")
  }

  def keep(ranges: Vector[OffsetRange], ends: BatchEnds, end: SourceOffset): Unit =
    decided = decided ++ Deferred(
      PartitionMap.empty,
      PartitionMap.from(ends.read.map { case (index, at) =>
        val position = end.get(ranges(index).id).get
        ranges(index).id -> ReadBefore(at, position.next, position.incarnation)
      })
    )

  def committed(end: SourceOffset): Unit = decided = decided.open(end)
}
