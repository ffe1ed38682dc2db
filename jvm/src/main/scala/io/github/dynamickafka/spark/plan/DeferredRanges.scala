package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart, SourceOffset}

/** What a batch reads and what it defers. */
object DeferredRanges {

  /** What a batch still reads without what it defers.
    *
    * @param ranges all that lies between its offsets
    * @param end the offset at which it ends
    */
  def left(ranges: Vector[OffsetRange], end: SourceOffset, deferred: Deferred): Vector[OffsetRange] =
    if (deferred.isEmpty) ranges
    else ranges.flatMap { range =>
      deferred.at(range.id, end) match {
        case None       => Some(range)
        case Some(part) => Some(range.copy(until = part.from)).filter(_.size > 0)
      }
    }

  /** The decision of the batch that ends at this offset to give these ranges back. */
  def deferredBy(ranges: Iterable[OffsetRange], end: SourceOffset): Deferred =
    Deferred(PartitionMap.from(for {
      range    <- ranges
      position <- end.get(range.id)
    } yield range.id -> DeferredPart(range.from, position.next, position.incarnation)))
}
