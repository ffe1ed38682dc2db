package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.options.TaskLimits

/** Groups the ranges of a batch into tasks.
  *
  * Outline: the ranges stand in the order of their partitions, so that those of one cluster are neighbours and a task
  * needs few consumers. Tasks are cuts of that row. The smallest greatest weight that a task must bear is searched, then
  * the row is filled into tasks up to that weight.
  */
object RangeSplitter {

  // All weights in records, as measured by `make bench-quick ARGS=weights`. A cluster in one more task, by a consumer that
  // is there, and each further partition cost about as much time as reading so many records of 200 bytes.
  private val ClusterWeight   = 1000L
  private val PartitionWeight = 150L

  // Less than this is not worth a task of its own: starting one costs as much as reading about that many records, as
  // measured too. On a cluster, where a task also travels, it is rather more.
  private val EnoughForTask = 10000L

  // Keeps any sum of weights within a Long; a larger range fills a task in any case.
  private val LargestWeight = 1L << 40

  /** None empty, each piece of a range in exactly one of them: at most so many as may run at once, fewer where little is
    * to read. What the options ask for comes first: then ranges are cut, and there may be more tasks. Otherwise ranges
    * stay whole.
    *
    * @param ranges one for each partition
    * @param slots how many tasks may run at once; less than 1 counts as 1
    */
  def tasks(ranges: Seq[OffsetRange], slots: Int, limits: TaskLimits = TaskLimits()): Vector[Vector[OffsetRange]] = {
    val row = RangePieces.of(ranges.sortBy(_.id).toVector, limits)
    if (row.isEmpty) Vector.empty
    else {
      val weights = new RowWeights(row)
      val whole   = weights.whole
      val worth   = (whole + EnoughForTask - 1) / EnoughForTask
      val least   = limits.minTasks.fold(1)(_.min(row.size.toLong).toInt)
      val most    = limits.maxOffsets.getOrElse(Long.MaxValue)
      val count   = worth.min(slots.max(1).toLong).min(row.size.toLong).toInt.max(least)
        .max(weights.tasksNeeded(Bounds(Long.MaxValue, most)))
      cut(row, least, count, Bounds(leastCapacity(weights, count, most), most))
    }
  }

  // Greedy filling needs the fewest tasks that a capacity allows, and no more of them with a larger one: so the least is
  // found by halving, in a few dozen passes over all weights (`make bench ARGS=driver`).
  private def leastCapacity(weights: RowWeights, count: Int, most: Long): Long = {
    @annotation.tailrec
    def search(low: Long, high: Long): Long =
      if (low >= high) low
      else {
        val middle = low + (high - low) / 2
        if (weights.tasksNeeded(Bounds(middle, most)) <= count) search(low, middle) else search(middle + 1, high)
      }
    search(weights.largest.max(weights.whole / count), weights.whole)
  }

  private def cut(row: Vector[OffsetRange], least: Int, count: Int, bounds: Bounds): Vector[Vector[OffsetRange]] = {
    val starts = row.indices.foldLeft((Vector(0), Filling.none)) { case ((starts, filling), index) =>
      val more = filling.add(row(index))
      // Where each of the ranges left could have a task to itself, a large one does not wait behind another.
      val left  = row.size - index
      val alone = filling.weight >= EnoughForTask && left <= count - starts.size || left <= least - starts.size
      if (more.within(bounds) && !alone) starts -> more else (starts :+ index, Filling.none.add(row(index)))
    }._1
    starts.zip(starts.tail :+ row.size).map { case (from, until) => row.slice(from, until) }
  }

  /** What each range of a row weighs as a task's first, and behind the one before it, as plain numbers: the search looks at
    * all of them some thirty times, and there may be a hundred thousand.
    */
  final private class RowWeights(row: Vector[OffsetRange]) {
    private val sizes = row.iterator.map(_.size).toArray
    private val first = row.iterator.map(Filling.none.add(_).weight).toArray
    private val next  = first.clone
    row.indices.drop(1).foreach { n =>
      if (row(n).id.cluster == row(n - 1).id.cluster) next(n) -= ClusterWeight
    }

    def whole: Long   = next.sum
    def largest: Long = first.max

    /** By greedy filling. */
    def tasksNeeded(bounds: Bounds): Int = {
      var tasks   = 1
      var weight  = first(0)
      var offsets = sizes(0)
      var n       = 1
      while (n < sizes.length) {
        val more = sum(offsets, sizes(n))
        if (weight + next(n) <= bounds.weight && more <= bounds.offsets) {
          weight += next(n)
          offsets = more
        } else {
          tasks += 1
          weight = first(n)
          offsets = sizes(n)
        }
        n += 1
      }
      tasks
    }
  }

  // Of two ranges whose sum no Long holds, one is already more than any limit.
  private def sum(offsets: Long, more: Long): Long =
    if (offsets > Long.MaxValue - more) Long.MaxValue else offsets + more

  /** What a task may bear: weight, and offsets. */
  final private case class Bounds(weight: Long, offsets: Long)

  /** What a task holds so far: its weight, its offsets, and its last range. */
  final private case class Filling(weight: Long, offsets: Long, last: Option[OffsetRange]) {
    def within(bounds: Bounds): Boolean = weight <= bounds.weight && offsets <= bounds.offsets

    def add(range: OffsetRange): Filling = {
      val cluster = if (last.exists(_.id.cluster == range.id.cluster)) 0 else ClusterWeight
      Filling(
        weight + range.size.min(LargestWeight) + PartitionWeight + cluster,
        sum(offsets, range.size),
        Some(range)
      )
    }
  }

  private object Filling { val none: Filling = Filling(0, 0, None) }
}
