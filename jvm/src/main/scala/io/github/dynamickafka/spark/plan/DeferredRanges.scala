package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.offsets.{Deferred, GivenBack, SourceOffset}

/** A batch and what it gives back. */
object DeferredRanges {

  /** What is left of a batch without that.
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

  /** These ranges, given back by the batch that ends at this offset. */
  def givenBack(ranges: Iterable[OffsetRange], end: SourceOffset): Deferred =
    Deferred(PartitionMap.from(for {
      range    <- ranges
      position <- end.get(range.id)
    } yield range.id -> GivenBack(range.from, position.next, position.incarnation)))
}
