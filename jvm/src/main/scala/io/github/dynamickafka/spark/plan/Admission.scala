package io.github.dynamickafka.spark.plan

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.SourceOffset

/** Lets what can be read into one batch after the other.
  *
  * @param since when a batch last read records; before the first, when the run began
  * @param rotation goes up with each such batch, so that a small limit reaches all partitions in turn
  */
final case class Admission(since: Instant, rotation: Long = 0) {

  /** Whether too little waits for a batch yet.
    *
    * @param readable how far each partition may be read
    */
  def waits(offset: SourceOffset, readable: Map[PartitionId, Long], allowed: Allowance, now: Instant): Boolean =
    allowed.least.exists { least =>
      Duration.between(since, now).compareTo(least.patience) < 0 &&
      backlog(offset, readable).foldLeft(BigInt(0))(_ + _._2) < least.offsets
    }

  /** How far each partition is read that is read at all.
    *
    * @param ends how far each partition may be read in this batch
    */
  def shared(offset: SourceOffset, ends: Map[PartitionId, Long], most: Option[Long]): Map[PartitionId, Long] = {
    val ahead = ends.filter { case (id, end) => next(offset, id) < end }
    most.fold(ahead) { limit =>
      ReadBudget.spread(backlog(offset, ahead), limit, rotation).map { case (id, count) =>
        id -> (next(offset, id) + count)
      }
    }
  }

  /** After a batch that reads so far. */
  def after(moves: Map[PartitionId, Long], now: Instant): Admission =
    if (moves.isEmpty) this else Admission(now, rotation + 1)

  private def backlog(offset: SourceOffset, ends: Map[PartitionId, Long]): Vector[(PartitionId, Long)] =
    ends.iterator.map { case (id, end) => id -> (end - next(offset, id)) }.toVector

  private def next(offset: SourceOffset, id: PartitionId): Long =
    offset.get(id).getOrElse(throw new IllegalStateException(s"no position of $id")).next
}
