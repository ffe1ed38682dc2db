package io.github.dynamickafka.spark.read

import org.apache.spark.sql.connector.read.InputPartition

import io.github.dynamickafka.spark.plan.OffsetRange

/** What one task reads: ranges of any partitions of any clusters. */
final class TaskRanges(val ranges: Array[OffsetRange]) extends InputPartition {
  override def toString: String = ranges.mkString("TaskRanges(", ", ", ")")
}
