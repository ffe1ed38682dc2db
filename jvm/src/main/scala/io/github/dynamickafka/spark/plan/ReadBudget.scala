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
    * @param turn the last partition that had its turn: where the limit is less than the number of lagging partitions, the
    *             next ones after it get one offset each, as many as it allows
    */
  def spread(backlog: PartitionMap[Long], limit: Long, turn: Option[PartitionId]): PartitionMap[Long] = {
    val lagging = backlog.mapTopics((_, _, sizes) => sizes.filter(_._2 > 0))
    val total   = lagging.valuesIterator.foldLeft(BigInt(0))(_ + _)
    if (limit <= 0) PartitionMap.empty
    else if (total <= limit) lagging
    else if (limit < lagging.size) inTurn(lagging.keysIterator.toVector, limit.toInt, turn)
    else proportional(lagging, limit, total)
  }

  /** Who had the last turn, after a batch that read of these partitions.
    *
    * @param before who had it before
    */
  def turned(read: Iterator[PartitionId], before: Option[PartitionId]): Option[PartitionId] = {
    val (wrapped, onward) = read.partition(id => before.exists(PartitionId.ordering.lteq(id, _)))
    wrapped.maxOption.orElse(onward.maxOption).orElse(before)
  }

  // One circle of all partitions, by id, that goes on after the last turn. The place is kept by its id, and not as a
  // number: who lags changes from batch to batch, and a number would mean another partition each time.
  private def inTurn(lagging: Vector[PartitionId], limit: Int, turn: Option[PartitionId]): PartitionMap[Long] = {
    val first = turn.fold(0)(last => lagging.indexWhere(PartitionId.ordering.gt(_, last)).max(0))
    PartitionMap.from((0 until limit).map(i => lagging((first + i) % lagging.size) -> 1L))
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
