package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.options.TaskLimits

/** Groups the ranges of a batch into tasks.
  *
  * Outline: the ranges stand in the order of their homes, and there of their partitions, so that those of one cluster are
  * neighbours and a task needs few consumers. Tasks are cuts of that row, one of them wherever another home begins. The
  * smallest greatest weight that a task must bear is searched, then the row is filled into tasks up to that weight.
  */
object RangeSplitter {

  // Where the homes' parts of a batch differ, a task may weigh so much more than an even share before others help.
  private def uneven(share: Long): Long = share + share / 2

  /** None empty, each piece of a range in exactly one of them: at most so many as may run at once, fewer where little is
    * to read. What the options ask for comes first: then ranges are cut, and there may be more tasks. Otherwise ranges
    * stay whole.
    *
    * @param ranges one for each partition
    * @param slots how many tasks may run at once; less than 1 counts as 1
    */
  def tasks(ranges: Seq[OffsetRange], slots: Int, limits: TaskLimits = TaskLimits()): Vector[Vector[OffsetRange]] =
    placed(ranges, TaskSlots(slots, slots), limits, Homes.none).map(_.ranges)

  /** The same, where no task has partitions of two homes: so there is one task for each home at least. What is more than
    * a home can run at once may run anywhere, for it would wait there.
    */
  def placed(ranges: Seq[OffsetRange], slots: TaskSlots, limits: TaskLimits, homes: Homes): Vector[PlacedTask] = {
    val groups = grouped(RangePieces.of(ranges.sortBy(_.id).toVector, limits), homes)
    val row    = groups.flatten
    if (row.isEmpty) Vector.empty
    else {
      val weights = RowWeights.of(groups)
      val least   = limits.minTasks.fold(1)(_.min(row.size.toLong).toInt)
      val most    = limits.maxOffsets.getOrElse(Long.MaxValue)
      val count   = weights.worth(slots.atOnce).max(least).max(weights.tasksNeeded(Bounds(Long.MaxValue, most)))
      val fair    = weights.largest.max(weights.whole / count)
      val evenly  = leastCapacity(weights, fair, count, most)
      val bounds  =
        Bounds(if (groups.sizeIs > 1) evenly.min(uneven(fair.max(RowWeights.EnoughForTask))) else evenly, most)
      atHome(weights.cut(least, count, bounds).map { case (from, until) => row.slice(from, until) }, slots, homes)
    }
  }

  /** How many tasks these ranges are worth, at most so many as may run at once. */
  def worth(ranges: Seq[OffsetRange], slots: Int): Int =
    if (ranges.isEmpty) 0 else RowWeights.of(Vector(ranges.sortBy(_.id).toVector)).worth(slots)

  private def grouped(row: Vector[OffsetRange], homes: Homes): Vector[Vector[OffsetRange]] =
    if (homes.executors.isEmpty) Vector(row)
    else row.groupBy(range => homes.of(range.id)).toVector.sortBy(_._1).map(_._2)

  // Greedy filling needs the fewest tasks that a capacity allows, and no more of them with a larger one: so the least is
  // found by halving, in a few dozen passes over all weights (`make bench ARGS=driver`).
  private def leastCapacity(weights: RowWeights, least: Long, count: Int, most: Long): Long = {
    @annotation.tailrec
    def search(low: Long, high: Long): Long =
      if (low >= high) low
      else {
        val middle = low + (high - low) / 2
        if (weights.tasksNeeded(Bounds(middle, most)) <= count) search(low, middle) else search(middle + 1, high)
      }
    search(least, weights.whole)
  }

  private def atHome(tasks: Vector[Vector[OffsetRange]], slots: TaskSlots, homes: Homes): Vector[PlacedTask] =
    tasks.groupBy(task => homes.of(task.head.id)).toVector.sortBy(_._1).flatMap { case (home, own) =>
      own.zipWithIndex.map { case (task, n) => PlacedTask(task, home.filter(_ => n < slots.perExecutor.max(1))) }
    }
}
