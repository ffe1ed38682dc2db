package io.github.dynamickafka.spark.plan

import scala.collection.immutable.BitSet

import io.github.dynamickafka.spark.ids.{PartitionId, PartitionMap}

/** Shares the limit of one batch among the partitions that lag. */
object ReadBudget {

  /** How many offsets each partition may read; one that may read none is left out. The sum is the limit, or the whole
    * backlog where that is less. While the limit reaches that far, each lagging partition gets at least one offset, and
    * the rest follows the backlogs.
    *
    * @param backlog how many offsets each partition has to read, each partition once
    * @param limit offsets in all; nothing is read with 0 or less
    * @param rotation goes up by one from batch to batch: where the limit is less than the number of lagging partitions,
    *                 as many of them as it allows get one offset each, and the next rotation goes on with those after
    */
  def spread(backlog: Seq[(PartitionId, Long)], limit: Long, rotation: Long): PartitionMap[Long] = {
    val lagging = backlog.filter(_._2 > 0).sortBy(_._1).toVector
    val total   = lagging.foldLeft(BigInt(0))(_ + _._2)
    if (limit <= 0) PartitionMap.empty
    else if (total <= limit) PartitionMap.from(lagging)
    else if (limit < lagging.size) PartitionMap.from(inTurn(lagging.map(_._1), limit.toInt, rotation))
    else PartitionMap.from(proportional(lagging, limit, total))
  }

  // Successive windows of a circle: after n rotations, and by rotation n again, each was in as many as any other.
  private def inTurn(lagging: Vector[PartitionId], limit: Int, rotation: Long): Seq[(PartitionId, Long)] = {
    val count = lagging.size.toLong
    val first = Math.floorMod(Math.floorMod(rotation, count) * limit, count)
    (0 until limit).map(i => lagging(((first + i) % count).toInt) -> 1L)
  }

  // One each, then each one's exact share of what is left, rounded down; the few offsets lost by rounding go to the
  // largest remainders, ties to the id that sorts first. A share never exceeds its backlog, since limit < total.
  private def proportional(
      lagging: Vector[(PartitionId, Long)],
      limit: Long,
      total: BigInt
  ): Vector[(PartitionId, Long)] = {
    val spare  = BigInt(limit - lagging.size)
    val wanted = total - lagging.size
    val shares = lagging.map { case (id, size) =>
      val (share, remainder) = (spare * (size - 1)) /% wanted
      Share(id, 1 + share.toLong, remainder)
    }
    val lost = (limit - shares.foldLeft(0L)(_ + _.offsets)).toInt
    // Stable, so that ties go by id.
    val first = shares.indices.sortBy(shares(_).remainder)(Ordering[BigInt].reverse).iterator.take(lost).to(BitSet)
    shares.zipWithIndex.map { case (share, n) => share.id -> (if (first(n)) share.offsets + 1 else share.offsets) }
  }

  private case class Share(id: PartitionId, offsets: Long, remainder: BigInt)
}
