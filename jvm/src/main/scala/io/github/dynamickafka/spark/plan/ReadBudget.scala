package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.ids.{PartitionId, PartitionMap}

/** Shares the limit of one batch among the partitions that lag. */
object ReadBudget {

  /** How many offsets each partition may read; one that may read none is left out. The sum is the limit, or the whole
    * backlog where that is less. While the limit reaches that far, each lagging partition gets at least one offset, and
    * the rest follows the backlogs.
    *
    * @param backlog how many offsets each partition has to read
    * @param limit offsets in all; nothing is read with 0 or less
    * @param rotation goes up by one from batch to batch: where the limit is less than the number of lagging partitions,
    *                 as many of them as it allows get one offset each, and the next rotation goes on with those after
    */
  def spread(backlog: PartitionMap[Long], limit: Long, rotation: Long): PartitionMap[Long] = {
    val lagging = backlog.mapTopics((_, _, sizes) => sizes.filter(_._2 > 0))
    val total   = lagging.valuesIterator.foldLeft(BigInt(0))(_ + _)
    if (limit <= 0) PartitionMap.empty
    else if (total <= limit) lagging
    else if (limit < lagging.size) inTurn(lagging.keysIterator.toVector, limit.toInt, rotation)
    else proportional(lagging, limit, total)
  }

  // Successive windows of a circle: after n rotations, and by rotation n again, each was in as many as any other.
  private def inTurn(lagging: Vector[PartitionId], limit: Int, rotation: Long): PartitionMap[Long] = {
    val count = lagging.size.toLong
    val first = Math.floorMod(Math.floorMod(rotation, count) * limit, count)
    PartitionMap.from((0 until limit).map(i => lagging(((first + i) % count).toInt) -> 1L))
  }

  // One each, then each one's exact share of what is left, rounded down; the few offsets lost by rounding go to the
  // largest remainders, ties to the id that sorts first. A share never exceeds its backlog, since limit < total.
  private def proportional(lagging: PartitionMap[Long], limit: Long, total: BigInt): PartitionMap[Long] = {
    val count           = lagging.size
    val (spare, wanted) = (BigInt(limit - count), total - count)
    val shares          = lagging.mapTopics((_, _, sizes) =>
      sizes.transform { (_, size) =>
        val (share, remainder) = (spare * (size - 1)) /% wanted
        Share(1 + share.toLong, remainder)
      }
    )
    val lost = (limit - shares.valuesIterator.map(_.offsets).sum).toInt
    // Stable, so that ties go by id.
    val last = shares.toVector.sortBy(_._2.remainder)(Ordering[BigInt].reverse).lift(lost - 1)
    shares.mapTopics((cluster, topic, here) =>
      here.transform { (partition, share) =>
        share.offsets + (if (last.exists(share.precedes(PartitionId(cluster, topic, partition), _))) 1 else 0)
      }
    )
  }

  private case class Share(offsets: Long, remainder: BigInt) {

    /** Whether it comes before this one where offsets lost by rounding are dealt out, or is that one. */
    def precedes(own: => PartitionId, other: (PartitionId, Share)): Boolean = {
      val (id, last) = other
      remainder > last.remainder || remainder == last.remainder && PartitionId.ordering.lteq(own, id)
    }
  }
}
