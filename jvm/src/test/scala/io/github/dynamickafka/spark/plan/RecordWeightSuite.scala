package io.github.dynamickafka.spark.plan

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.plan.RecordWeight.Measured

class RecordWeightSuite extends FunSuite {
  private val quick = RecordWeight.unknown.after(Measured(Some(100), 0, 0))

  /** How many tasks 9,000 records of 90 partitions become on 64 slots. */
  private def tasks(weight: RecordWeight): Int = {
    val ranges = (0 until 90).map(n => OffsetRange(id("eu", "orders", n), 0, 100, StreamId("orders")))
    RangeSplitter.tasks(ranges, 64, record = weight.each).size
  }

  test("records that take long are spread over all slots, and so are large ones") {
    assertEquals(tasks(quick.after(Measured(Some(100), 9000, 9000 * 5000L))), 64)
    assertEquals(tasks(quick.after(Measured(Some(50000), 0, 0))), 64)
  }

  test("few small records that take no time are few tasks") {
    assertEquals(quick.each, 1L)
    assertEquals(tasks(quick), 3)
  }

  test("before anything was read they are spread, too, but for a handful") {
    assertEquals(tasks(RecordWeight.unknown), 64)
    val handful = (0 until 20).map(n => OffsetRange(id("eu", "orders", n), 0, 2, StreamId("orders")))
    assertEquals(RangeSplitter.tasks(handful, 64, record = RecordWeight.unknown.each).size, 1)
  }

  test("what a batch of long tasks has shown fades while tasks are too short to show it again") {
    val slow  = quick.after(Measured(Some(100), 1000, 1000 * 800L))
    val faded = Iterator.iterate(slow)(_.after(Measured(Some(100), 0, 0)))
    assertEquals(faded.take(6).map(_.each).toVector, Vector(17L, 9L, 5L, 3L, 2L, 1L))
  }

  test("a batch that read nothing says nothing") {
    assertEquals(RecordWeight.unknown.after(Measured(None, 0, 0)), RecordWeight.unknown)
  }

  test("no weight is too large to be summed") {
    val longest = quick.after(Measured(Some(Long.MaxValue), 1, Long.MaxValue))
    val ranges  = (0 until 3).map(n => OffsetRange(id("eu", "orders", n), 0, Long.MaxValue, StreamId("orders")))
    assertEquals(RangeSplitter.tasks(ranges, 2, record = longest.each).map(_.size).sorted, Vector(1, 2))
  }
}
