package io.github.dynamickafka.spark.realtime

import io.github.dynamickafka.spark.plan.OffsetRange

/** Shares the partitions of a real-time batch out among its tasks. */
object RealTimeTasks {

  /** Each range is in exactly one task. Tasks differ by one range at most. Neighbours stay together, so few tasks
    * share a cluster: each of them has a consumer of its own there. Without ranges there is one task, which waits.
    *
    * @param ranges sorted by partition
    * @param most how many tasks there may be; less than 1 counts as 1
    */
  def of(ranges: Vector[OffsetRange], most: Int): Vector[Vector[Int]] = {
    val tasks                 = Math.max(1, Math.min(most, ranges.size))
    def first(task: Int): Int = (ranges.size.toLong * task / tasks).toInt
    Vector.tabulate(tasks)(task => (first(task) until first(task + 1)).toVector)
  }
}
