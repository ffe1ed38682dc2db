package io.github.dynamickafka.spark.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Offsets
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.PartitionOffset
import io.github.dynamickafka.spark.plan.OffsetRange

/** An attempt that Spark has given up lives on. Nothing has moved since its last report, so its reports name no range. */
class GhostSuite extends FunSuite {
  private val eu    = Offsets.id("eu", "orders", 0)
  private val batch = RealTimeBatch(
    1,
    Offsets.offset(eu -> PartitionOffset(0, 0, 0)),
    Vector(OffsetRange(eu, 0, Long.MaxValue, StreamId("s")))
  )
  private val two =
    batch.says(RealTimeReport(Vector(TakenPart(0, 5)), attempt = 7))._1
      .says(RealTimeReport(Vector(TakenPart(0, 0)), attempt = 8))._1

  test("it fails at its next report, though that says of nothing how far it is") {
    assertEquals(two.says(RealTimeReport(Vector.empty, attempt = 7))._2, RealTimeAnswer.RunsAgain: RealTimeAnswer)
  }

  test("what its executor can't read says nothing about the attempt that counts") {
    val why = ReaderFailure("CONDITION", "no network on the executor that is lost", asks = false)
    val now = two.says(RealTimeReport(Vector.empty, Map(ClusterId("eu") -> why), attempt = 7))._1
    assertEquals(now.failed, Map.empty[ClusterId, ReaderFailure])
  }

  test("control: the attempt that counts goes on, and so does a task without ranges") {
    assertEquals(two.says(RealTimeReport(Vector.empty, attempt = 8))._2, RealTimeAnswer.GoesOn: RealTimeAnswer)
    assertEquals(two.says(RealTimeReport(Vector.empty, attempt = 9))._2, RealTimeAnswer.GoesOn: RealTimeAnswer)
  }
}
