package io.github.dynamickafka.spark.plan

import scala.collection.mutable.ArrayBuilder

/** A row of ranges with their weights, to be filled into tasks. The weights are plain numbers in arrays: the search for
  * the best tasks fills the row some thirty times, and there may be a hundred thousand ranges.
  *
  * @param sizes of each range, in offsets
  * @param first what each range weighs as the first one of a task
  * @param next what it weighs after the range before it
  * @param begins whether a task must begin with it, because it is the first one of its group
  */
final private[plan] class WeightedRow private (
    ranges: Vector[OffsetRange],
    sizes: Array[Long],
    first: Array[Long],
    next: Array[Long],
    begins: Array[Boolean]
) {
  import WeightedRow._

  val whole: Long   = next.sum
  val largest: Long = first.max

  def size: Int = ranges.size

  /** How many tasks it is worth, at most as many as may run at once. */
  def worth(slots: Int): Int =
    ((whole + EnoughForTask - 1) / EnoughForTask).min(slots.max(1).toLong).min(size.toLong).toInt

  /** Fills one task after the other: a task takes the next range of the row unless a rule says that a new one begins.
    *
    * @return the index of each task's first range
    */
  def fill(filling: Filling): Array[Int] = {
    val starts = new ArrayBuilder.ofInt
    val count  = sizes.length
    // Only the last ranges may be alone (`make bench ARGS=driver`).
    val alone   = count - filling.least.max(filling.most)
    var tasks   = 0
    var weight  = 0L
    var offsets = 0L
    var n       = 0
    while (n < count) {
      val heavier = weight + next(n)
      val more    = sum(offsets, sizes(n))
      if (
        !begins(n) && heavier <= filling.weight && more <= filling.offsets &&
        !(n > alone && filling.alone(weight, count - n, tasks))
      ) {
        weight = heavier
        offsets = more
      } else {
        starts.addOne(n): Unit
        tasks += 1
        weight = first(n)
        offsets = sizes(n)
      }
      n += 1
    }
    starts.result()
  }

  /** The tasks of one filling. */
  def tasks(filling: Filling): Vector[Vector[OffsetRange]] = {
    val starts = fill(filling)
    Vector.tabulate(starts.length) { n =>
      ranges.slice(starts(n), if (n + 1 < starts.length) starts(n + 1) else ranges.size)
    }
  }
}

/** How a row is filled into tasks.
  *
  * @param weight the most that a task weighs, unless it has one range alone
  * @param offsets the most that a task has, unless it has one range alone
  * @param least how many tasks there must be
  * @param most while there are fewer tasks than this, the last ranges may have a task each
  */
final private[plan] case class Filling(weight: Long, offsets: Long, least: Int = 0, most: Int = 0) {

  /** Whether so few ranges are left that each gets a task: because so many tasks are required, or because they are
    * allowed and the present task is large enough. Then a large range does not wait for another one.
    */
  def alone(taken: Long, left: Int, tasks: Int): Boolean =
    left <= least - tasks || taken >= WeightedRow.EnoughForTask && left <= most - tasks
}

private[plan] object WeightedRow {

  // All weights are in records, as measured by `make bench-quick ARGS=weights`. One more cluster in a task, read by a
  // consumer that is open, and one more partition each take about as long as reading so many records of 200 bytes.
  private val ClusterWeight   = 1000L
  private val PartitionWeight = 150L

  /** Less than this is not worth a task of its own: starting a task takes about as long as reading so many records, as
    * measured too. On a cluster, where a task also travels, it takes rather longer.
    */
  val EnoughForTask = 10000L

  // Keeps every sum of weights within a Long; a larger range fills a task in any case.
  private val LargestWeight = 1L << 40

  /** A row of these groups, none of them empty, each sorted.
    *
    * @param record what a record weighs, at least 1
    */
  def of(groups: Vector[Vector[OffsetRange]], record: Long = 1): WeightedRow = {
    val ranges = groups.flatten
    val row    = ranges.toArray
    val begins = new Array[Boolean](row.length)
    groups.iterator.map(_.size).scanLeft(0)(_ + _).filter(_ < row.length).foreach(begins(_) = true)
    val first = row.map(range => range.size.min(LargestWeight / record) * record + PartitionWeight + ClusterWeight)
    val next  = first.clone
    (1 until row.length).foreach(n =>
      if (!begins(n) && row(n).id.cluster == row(n - 1).id.cluster) next(n) -= ClusterWeight
    )
    new WeightedRow(ranges, row.map(_.size), first, next, begins)
  }

  // Where no Long holds the sum of two ranges, one of them alone is above any limit.
  private def sum(offsets: Long, more: Long): Long =
    if (offsets > Long.MaxValue - more) Long.MaxValue else offsets + more
}
