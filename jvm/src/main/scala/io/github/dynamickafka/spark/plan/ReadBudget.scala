package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.ids.{PartitionId, PartitionMap}

/** Shares the limit of one batch among the partitions that have a backlog. */
object ReadBudget {

  /** How many offsets are read of each partition. A partition of which none is read is left out. The sum is the limit,
    * or the whole backlog where that is less. Each partition with a backlog gets at least one offset, as long as the
    * limit is large enough, and the rest is shared in proportion to the backlogs.
    *
    * @param backlog how many offsets of each partition are to be read
    * @param limit how many offsets are read in all; none with 0 or less
    * @param turn the last partition that had its turn. If the limit is less than the number of partitions with a
    *             backlog, the next partitions after this one get one offset each, as many as the limit allows
    */
  def spread(backlog: PartitionMap[Long], limit: Long, turn: Option[PartitionId]): PartitionMap[Long] = {
    val lagging = backlog.mapTopics((_, _, sizes) => sizes.filter(_._2 > 0))
    val total   = lagging.valuesIterator.foldLeft(BigInt(0))(_ + _)
    if (limit <= 0) PartitionMap.empty
    else if (total <= limit) lagging
    else if (limit < lagging.size) inTurn(lagging.keysIterator.toVector, limit.toInt, turn)
    else proportional(lagging, limit, total)
  }

  /** The partition that had the last turn, after a batch that read these partitions.
    *
    * @param before the one that had it before
    */
  def turned(read: Iterator[PartitionId], before: Option[PartitionId]): Option[PartitionId] = {
    val (wrapped, onward) = read.partition(id => before.exists(PartitionId.ordering.lteq(id, _)))
    wrapped.maxOption.orElse(onward.maxOption).orElse(before)
  }

  // All partitions form a circle, in the order of their ids, and turns go on after the last one. The last one is kept
  // by its id, not as a number: other partitions have a backlog in each batch, so a number would mean another one each
  // time.
  private def inTurn(lagging: Vector[PartitionId], limit: Int, turn: Option[PartitionId]): PartitionMap[Long] = {
    val first = turn.fold(0)(last => lagging.indexWhere(PartitionId.ordering.gt(_, last)).max(0))
    PartitionMap.from((0 until limit).map(i => lagging((first + i) % lagging.size) -> 1L))
  }

  // Each partition gets one offset, and then its exact share of what is left, rounded down. The few offsets lost by
  // rounding go to the largest remainders; among equals, to the id that sorts first. A share never exceeds its backlog,
  // because limit < total.
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
    // The sort is stable, so equal remainders stay in the order of ids.
    val last = shares.toVector.sortBy(_._2.remainder)(Ordering[BigInt].reverse).lift(lost - 1)
    shares.mapTopics((cluster, topic, here) =>
      here.transform { (partition, share) =>
        share.offsets + (if (last.exists(share.precedes(PartitionId(cluster, topic, partition), _))) 1 else 0)
      }
    )
  }

  private case class Share(offsets: Long, remainder: BigInt) {

    /** Whether it gets an offset lost by rounding before the other one does, or is the other one. */
    def precedes(own: => PartitionId, other: (PartitionId, Share)): Boolean = {
      val (id, last) = other
      remainder > last.remainder || remainder == last.remainder && PartitionId.ordering.lteq(own, id)
    }
  }
}
