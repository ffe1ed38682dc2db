package io.github.dynamickafka.spark.plan

/** What each range of a row weighs as a task's first, and behind the one before it, as plain numbers: the search for the
  * best tasks looks at all of them some thirty times, and there may be a hundred thousand.
  *
  * @param begins whether a task must begin there, because another group does; false for the first of all
  */
final private[plan] class RowWeights private (
    sizes: Array[Long],
    first: Array[Long],
    next: Array[Long],
    begins: Array[Boolean]
) {
  import RowWeights._

  val whole: Long   = next.sum
  val largest: Long = if (first.isEmpty) 0 else first.max

  /** How many tasks it is worth, at most so many as may run at once. */
  def worth(slots: Int): Int =
    ((whole + EnoughForTask - 1) / EnoughForTask).min(slots.max(1).toLong).min(sizes.length.toLong).toInt

  /** By greedy filling. */
  def tasksNeeded(bounds: Bounds): Int = {
    var tasks   = 1
    var weight  = first(0)
    var offsets = sizes(0)
    var n       = 1
    while (n < sizes.length) {
      val more = sum(offsets, sizes(n))
      if (!begins(n) && weight + next(n) <= bounds.weight && more <= bounds.offsets) {
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

  /** The same, each task as its first index and that behind its last. Where each of the ranges left could have a task to
    * itself, a large one does not wait behind another.
    *
    * @param least how many tasks there must be
    * @param count how many there should be at most
    */
  def cut(least: Int, count: Int, bounds: Bounds): Vector[(Int, Int)] = {
    val starts  = Vector.newBuilder[Int] += 0
    var tasks   = 1
    var weight  = first(0)
    var offsets = sizes(0)
    var n       = 1
    while (n < sizes.length) {
      val more  = sum(offsets, sizes(n))
      val left  = sizes.length - n
      val alone = weight >= EnoughForTask && left <= count - tasks || left <= least - tasks
      if (!begins(n) && !alone && weight + next(n) <= bounds.weight && more <= bounds.offsets) {
        weight += next(n)
        offsets = more
      } else {
        starts += n
        tasks += 1
        weight = first(n)
        offsets = sizes(n)
      }
      n += 1
    }
    val all = starts.result()
    all.zip(all.tail :+ sizes.length)
  }
}

/** What a task may bear: weight, and offsets. */
final private[plan] case class Bounds(weight: Long, offsets: Long)

private[plan] object RowWeights {

  // All weights in records, as measured by `make bench-quick ARGS=weights`. A cluster in one more task, by a consumer that
  // is there, and each further partition cost about as much time as reading so many records of 200 bytes.
  private val ClusterWeight   = 1000L
  private val PartitionWeight = 150L

  // Less than this is not worth a task of its own: starting one costs as much as reading about that many records, as
  // measured too. On a cluster, where a task also travels, it is rather more.
  val EnoughForTask = 10000L

  // Keeps any sum of weights within a Long; a larger range fills a task in any case.
  private val LargestWeight = 1L << 40

  /** Of a row made of these groups, each sorted. */
  def of(groups: Vector[Vector[OffsetRange]]): RowWeights = {
    val row    = groups.iterator.flatten.toArray
    val begins = new Array[Boolean](row.length)
    groups.iterator.map(_.size).scanLeft(0)(_ + _).filter(at => at > 0 && at < row.length).foreach(begins(_) = true)
    val first = row.map(range => range.size.min(LargestWeight) + PartitionWeight + ClusterWeight)
    val next  = first.clone
    (1 until row.length).foreach(n =>
      if (!begins(n) && row(n).id.cluster == row(n - 1).id.cluster) next(n) -= ClusterWeight
    )
    new RowWeights(row.map(_.size), first, next, begins)
  }

  // Of two ranges whose sum no Long holds, one is already more than any limit.
  private def sum(offsets: Long, more: Long): Long =
    if (offsets > Long.MaxValue - more) Long.MaxValue else offsets + more
}
