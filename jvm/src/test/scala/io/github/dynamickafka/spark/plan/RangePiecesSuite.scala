package io.github.dynamickafka.spark.plan

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.options.TaskLimits

class RangePiecesSuite extends FunSuite {
  test("a range that would become more pieces than can be counted is an error, and never read in part or left out") {
    for {
      size   <- Vector(3000000000L, (1L << 32) + 5)
      limits <- Vector(TaskLimits(maxOffsets = Some(1)), TaskLimits(minTasks = Some(size)))
    } {
      val range  = OffsetRange(id("eu", "orders", 0), 7, 7 + size, StreamId("orders"))
      val failed = intercept[DynamicKafkaException](RangePieces.of(Vector(range), limits))
      assertEquals(failed.condition, Condition.InvalidOption: Condition)
      assertEquals(
        failed.detail,
        "The options maxRecordsPerPartition and minPartitions cut cluster=eu topic=orders partition=0 " +
          s"offsets=7 until ${7 + size} into $size tasks, and Spark can't run more than 2147483647. " +
          "Raise maxRecordsPerPartition, or lower minPartitions."
      )
    }
  }
}
