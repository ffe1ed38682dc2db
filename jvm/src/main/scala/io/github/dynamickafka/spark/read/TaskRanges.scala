package io.github.dynamickafka.spark.read

import org.apache.spark.sql.connector.read.InputPartition

import io.github.dynamickafka.spark.plan.OffsetRange

/** What one task reads: ranges of any partitions of any clusters.
  *
  * @param numbers of these ranges in the batch; pieces of one range have its number. None in a batch read
  * @param locations where it should run, in Spark's form; if empty, anywhere
  */
final class TaskRanges(
    val ranges: Array[OffsetRange],
    locations: Array[String] = Array.empty,
    val numbers: Array[Int] = Array.empty
) extends InputPartition {
  override def preferredLocations(): Array[String] = locations

  override def toString: String = ranges.mkString("TaskRanges(", ", ", ")")
}
