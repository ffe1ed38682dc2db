package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.options.TaskLimits

/** Groups the ranges of a batch into tasks.
  *
  * Outline: the ranges form a row, sorted by preferred executor and then by partition. So ranges of one cluster are neighbours, and a
  * task needs few consumers. A task is a part of this row, and no task has ranges of two preferred executors. [[WeightedRow.fill]]
  * fills one task after the other up to a weight. A search finds the smallest weight that needs no more tasks than
  * wanted.
  */
object RangeSplitter {

  /** Tasks that may run on any executor. None is empty, and each piece of a range is in exactly one of them. There are at
    * most as many tasks as may run at once, and fewer where little is to be read; then ranges stay whole. The limits of
    * the options come first: they may cut ranges and make more tasks.
    *
    * @param ranges one for each partition
    * @param slots how many tasks may run at once; less than 1 counts as 1
    * @param record what a record weighs
    */
  def tasks(
      ranges: Seq[OffsetRange],
      slots: Int,
      limits: TaskLimits = TaskLimits(),
      record: Long = 1
  ): Vector[Vector[OffsetRange]] =
    placed(ranges, TaskSlots(slots, slots), limits, PreferredExecutors.none, record).map(_.ranges)

  /** The same with preferred executors. No task has partitions of two of them, so there is at least one task for each.
    * Where one has more tasks than it can run at once, the rest may run anywhere, because it would have to wait there.
    */
  def placed(
      ranges: Seq[OffsetRange],
      slots: TaskSlots,
      limits: TaskLimits,
      preferred: PreferredExecutors,
      record: Long = 1
  ): Vector[PlacedTask] = {
    val groups = grouped(RangePieces.of(ranges.sortBy(_.id).toVector, limits), preferred)
    if (groups.isEmpty) Vector.empty
    else {
      val row     = WeightedRow.of(groups, record)
      val offsets = limits.maxOffsets.getOrElse(Long.MaxValue)
      val least   = limits.minTasks.fold(1)(_.min(row.size.toLong).toInt)
      val count   = row.worth(slots.atOnce).max(least).max(row.fill(Filling(Long.MaxValue, offsets)).length)
      val fair    = row.largest.max(row.whole / count)
      val enough  =
        smallest(from = fair, to = row.whole)(weight => row.fill(Filling(weight, offsets)).length <= count)
      val weight = if (groups.sizeIs > 1) enough.min(uneven(fair.max(WeightedRow.EnoughForTask))) else enough
      withLocations(row.tasks(Filling(weight, offsets, least, count)), slots, preferred)
    }
  }

  /** How many tasks these ranges are worth, at most as many as may run at once. */
  def worth(ranges: Seq[OffsetRange], slots: Int, record: Long = 1): Int =
    if (ranges.isEmpty) 0 else WeightedRow.of(Vector(ranges.sortBy(_.id).toVector), record).worth(slots)

  // One group for each preferred executor, none of them empty. Without preferred executors there is one group.
  private def grouped(row: Vector[OffsetRange], preferred: PreferredExecutors): Vector[Vector[OffsetRange]] =
    if (preferred.executors.isEmpty) Vector(row).filter(_.nonEmpty)
    else row.groupBy(range => preferred.of(range.id)).toVector.sortBy(_._1).map(_._2)

  // If the executors' parts of a batch differ, a task may weigh half more than an even share; then others help.
  private def uneven(share: Long): Long = share + share / 2

  /** The smallest number for which this holds, found by halving: it holds for `to`, and for every number above one for
    * which it holds. Filling is like that, because a larger weight never needs more tasks. The search takes a few dozen
    * fillings (`make bench ARGS=driver`).
    */
  @annotation.tailrec
  private def smallest(from: Long, to: Long)(holds: Long => Boolean): Long =
    if (from >= to) from
    else {
      val middle = from + (to - from) / 2
      if (holds(middle)) smallest(from, middle)(holds) else smallest(middle + 1, to)(holds)
    }

  private def withLocations(
      tasks: Vector[Vector[OffsetRange]],
      slots: TaskSlots,
      preferred: PreferredExecutors
  ): Vector[PlacedTask] =
    tasks.groupBy(task => preferred.of(task.head.id)).toVector.sortBy(_._1).flatMap { case (preferred, own) =>
      own.zipWithIndex.map { case (task, n) => PlacedTask(task, preferred.filter(_ => n < slots.perExecutor.max(1))) }
    }
}
