package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Named, Say}
import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.options.{SourceOptions, TaskLimits}

/** Cuts ranges that are too large for the options' limits of tasks. */
object RangePieces {

  /** The same offsets in the same order, each range cut into pieces whose sizes differ by one at most. No piece is
    * larger than a task may be. In all there are at least as many pieces as there must be tasks, or as there are
    * offsets where that is less.
    *
    * @param ranges one for each partition, sorted
    * @throws DynamicKafkaException `INVALID_OPTION` if a range would become more pieces than can be counted as tasks
    */
  def of(ranges: Vector[OffsetRange], limits: TaskLimits): Vector[OffsetRange] =
    if (limits.whole) ranges else cut(ranges, limits)

  private def cut(ranges: Vector[OffsetRange], limits: TaskLimits): Vector[OffsetRange] = {
    val wanted = limits.minTasks.filter(_ > ranges.size).fold(Map.empty[OffsetRange, Long]) { count =>
      // Each range gets one piece, and the other pieces are shared by size, as a batch's limit is.
      val shares =
        ReadBudget.spread(PartitionMap.from(ranges.map(range => range.id -> range.size)), count, turn = None)
      ranges.map(range => range -> shares.getOrElse(range.id, 1L)).toMap
    }
    ranges.flatMap { range =>
      val needed = limits.maxOffsets.fold(1L)(most => (range.size - 1) / most + 1)
      cut(range, needed.max(wanted.getOrElse(range, 1L)))
    }
  }

  private def cut(range: OffsetRange, count: Long): Vector[OffsetRange] = {
    if (count > Int.MaxValue) throw tooMany(range, count)
    val (size, larger) = (range.size / count, range.size % count)
    def begin(n: Long) = range.from + n * size + n.min(larger)
    Vector.tabulate(count.toInt)(n => range.part(begin(n.toLong), begin(n + 1L)))
  }

  private def tooMany(range: OffsetRange, count: Long) = {
    val most  = Named.option(SourceOptions.MaxRecordsPerPartition.key)
    val least = Named.option(SourceOptions.MinPartitions.key)
    DynamicKafkaException(
      Condition.InvalidOption,
      say"The options $most and $least cut ${range.wording} into $count tasks, and Spark can't run more than " +
        say"${Int.MaxValue}. Raise $most, or lower $least."
    )
  }
}
