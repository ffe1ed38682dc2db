package io.github.dynamickafka.spark.plan

/** Groups the ranges of a batch into tasks.
  *
  * Outline: the ranges stand in the order of their partitions, so that those of one cluster are neighbours and a task
  * needs few consumers. Tasks are cuts of that row. The smallest greatest weight that a task must bear is searched, then
  * the row is filled into tasks up to that weight.
  */
object RangeSplitter {

  // All weights in records. Opening a cluster in one more task, and each further partition of a fetch, cost about as
  // much time as reading so many records.
  private val ClusterWeight   = 1000L
  private val PartitionWeight = 100L

  // Less than this is not worth a task of its own: starting one costs as much as reading about that many records.
  private val EnoughForTask = 10000L

  // Keeps any sum of weights within a Long; a larger range fills a task in any case.
  private val LargestWeight = 1L << 40

  /** At most so many tasks, none empty, each range in exactly one of them, whole. Fewer where little is to read.
    *
    * @param slots how many tasks may run at once; less than 1 counts as 1
    */
  def tasks(ranges: Seq[OffsetRange], slots: Int): Vector[Vector[OffsetRange]] = {
    val row = ranges.sortBy(_.id).toVector
    if (row.isEmpty) Vector.empty
    else {
      val whole = row.foldLeft(Filling.none)(_.add(_)).weight
      val worth = (whole + EnoughForTask - 1) / EnoughForTask
      val count = worth.min(slots.max(1).toLong).min(row.size.toLong).toInt
      cut(row, count, leastCapacity(row, count, whole))
    }
  }

  // Greedy filling needs the fewest tasks that a capacity allows, and no more of them with a larger one.
  private def leastCapacity(row: Vector[OffsetRange], count: Int, whole: Long): Long = {
    val largest = row.iterator.map(Filling.none.add(_).weight).max
    @annotation.tailrec
    def search(low: Long, high: Long): Long =
      if (low >= high) low
      else {
        val middle = low + (high - low) / 2
        if (tasksNeeded(row, middle) <= count) search(low, middle) else search(middle + 1, high)
      }
    search(largest.max(whole / count), whole)
  }

  private def tasksNeeded(row: Vector[OffsetRange], capacity: Long): Int =
    row.foldLeft(1 -> Filling.none) { case ((tasks, filling), range) =>
      val more = filling.add(range)
      if (more.weight <= capacity) tasks -> more else (tasks + 1) -> Filling.none.add(range)
    }._1

  private def cut(row: Vector[OffsetRange], count: Int, capacity: Long): Vector[Vector[OffsetRange]] = {
    val starts = row.indices.foldLeft((Vector(0), Filling.none)) { case ((starts, filling), index) =>
      val more = filling.add(row(index))
      // Where each of the ranges left could have a task to itself, a large one does not wait behind another.
      val alone = filling.weight >= EnoughForTask && row.size - index <= count - starts.size
      if (more.weight <= capacity && !alone) starts -> more else (starts :+ index, Filling.none.add(row(index)))
    }._1
    starts.zip(starts.tail :+ row.size).map { case (from, until) => row.slice(from, until) }
  }

  /** What a task holds so far: its weight, and its last range. */
  final private case class Filling(weight: Long, last: Option[OffsetRange]) {
    def add(range: OffsetRange): Filling = {
      val cluster = if (last.exists(_.id.cluster == range.id.cluster)) 0 else ClusterWeight
      Filling(weight + range.size.min(LargestWeight) + PartitionWeight + cluster, Some(range))
    }
  }

  private object Filling { val none: Filling = Filling(0, None) }
}
