package io.github.dynamickafka.spark.driver.trigger

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{ManualClock, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits

/** A log that ends before a position from which nothing was read yet. */
class CutBeforeReadSuite extends FunSuite with StepScenes {
  private def plain(end: Int) = answer("orders" -> has(0 -> end)).of("K1")

  private def read(start: String): Vector[String] = {
    val kafka  = new ScriptedClusters
    val clock  = new ManualClock(begin)
    val policy = skipping.copy(failOnDataLoss = false, starting = rule(start))
    val driver = new OpenedDriver(policy, kafka, () => listed("eu" -> topics("orders")), clock = clock).driver
    def next(at: SourceOffset, end: Int) = {
      kafka.now("eu", plain(end))
      driver.latest(at, ReadLimits.everything)
    }
    try {
      val begun = next(SourceOffset.initial, 10)
      val short = next(begun, 4)
      clock.advance(policy.agreement)
      ranges(begun, next(short, 4))
    } finally driver.close()
  }

  test("without ids of topics and epochs, one that was at the position before was cut off or created again") {
    assertEquals(read("latest"), Vector("eu orders 0 0-4"))
  }

  test("one that was never there is waited for") {
    assertEquals(read("""{"eu": {"orders": {"0": 50}}}"""), Vector.empty)
  }
}
