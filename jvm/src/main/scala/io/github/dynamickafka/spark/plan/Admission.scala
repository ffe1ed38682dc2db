package io.github.dynamickafka.spark.plan

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.SourceOffset

/** Decides how much of what can be read goes into each batch.
  *
  * @param since when a batch last read records; before that, when the first trigger came
  * @param turn the last partition that had its turn, where a limit is too small for all of them
  */
final case class Admission(since: Instant, turn: Option[PartitionId] = None) {

  /** Whether there is still too little for a batch.
    *
    * @param readable how far each partition may be read
    */
  def waits(offset: SourceOffset, readable: Map[PartitionId, Long], allowed: ReadLimits, now: Instant): Boolean =
    allowed.least.exists { least =>
      // If it is later than now, the clock was set back.
      !since.isAfter(now) && Duration.between(since, now).compareTo(least.patience) < 0 &&
      backlog(offset, readable).valuesIterator.foldLeft(BigInt(0))(_ + _) < least.offsets
    }

  /** How far each partition is read. A partition of which nothing is read is left out.
    *
    * @param ends how far each partition may be read in this batch
    */
  def shared(offset: SourceOffset, ends: Map[PartitionId, Long], most: Option[Long]): PartitionMap[Long] = {
    val behind = backlog(offset, ends)
    most.fold(behind)(ReadBudget.spread(behind, _, turn)).mapTopics { (cluster, topic, counts) =>
      val next = positions(offset, cluster, topic)
      counts.transform((partition, count) => next(partition) + count)
    }
  }

  /** The same after a batch that reads up to these offsets. */
  def after(moves: Map[PartitionId, Long], most: Option[Long], now: Instant): Admission =
    if (moves.isEmpty) this
    // With more than one offset for each partition, all had their turn.
    else if (most.exists(_ <= moves.size)) Admission(now, ReadBudget.turned(moves.keysIterator, turn))
    else copy(since = now)

  /** How many offsets lie before the ends. Partitions that are read up to there already are left out. */
  private def backlog(offset: SourceOffset, ends: Map[PartitionId, Long]): PartitionMap[Long] =
    PartitionMap.from(ends).mapTopics { (cluster, topic, ends) =>
      val next = positions(offset, cluster, topic)
      ends.transform((partition, end) => end - next(partition)).filter(_._2 > 0)
    }

  private def positions(offset: SourceOffset, cluster: ClusterId, topic: String): Int => Long = {
    val held = offset.clusters.get(cluster).flatMap(_.topics.get(topic)).map(_.partitions)
    partition =>
      held.flatMap(_.get(partition)).getOrElse(
        throw new IllegalStateException(s"no position of ${PartitionId(cluster, topic, partition)}")
      ).next
  }
}

object Admission {

  /** At the first trigger of a run nothing waits, as in Spark's own source: records that wait would wait longer with each
    * restart.
    */
  val first: Admission = Admission(Instant.EPOCH)
}
