package io.github.dynamickafka.spark.driver.memory

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.OffsetRanges

/** Up to which offset the batches of the query are finished.
  *
  * @param offset where the last finished batch ended
  * @param uncommitted how many records an uncommitted batch reads of each cluster, until that batch is finished
  * @param begun what the next batch, or the one that runs, begins and ends with: a restart resumes with one of these
  */
final case class FinishedOffset(
    offset: SourceOffset,
    uncommitted: Map[ClusterId, Long] = Map.empty,
    begun: Vector[SourceOffset] = Vector.empty
) {

  /** The same, where these clusters are read in place of those that the uncommitted batch names. */
  def readFrom(reader: ClusterId => ClusterId): FinishedOffset = copy(uncommitted = uncommitted.foldLeft(uncommitted) {
    case (all, (id, partitions)) => all.updatedWith(reader(id))(known => Some(known.getOrElse(partitions)))
  })
}

object FinishedOffset {

  /** A start of the query has found this batch unfinished. */
  def before(start: SourceOffset, end: SourceOffset): FinishedOffset =
    FinishedOffset(start, OffsetRanges.between(start, end).groupMapReduce(_.id.cluster)(_.size)(_ + _), Vector(end))
}
