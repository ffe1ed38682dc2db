package io.github.dynamickafka.spark.driver.trigger

import java.time.{Duration, Instant}

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{ManualClock, WholeLogs}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.plan.{Least, ReadLimits}

/** `minOffsetsPerTrigger`, with restarts that come sooner than `maxTriggerDelay`: Spark's own source reads at its first trigger. */
class LeastOverRestartsSuite extends FunSuite with StepScenes {
  private val allowed = ReadLimits(None, Some(Least(100, Duration.ofMinutes(15))), aligned = true)

  /** What the first two triggers of a run read, ten minutes apart. */
  private def run(end: Int): (Vector[String], Vector[String]) = {
    val clusters = new WholeLogs
    clusters.now("eu", answer("orders" -> has(0 -> end)))
    clusters.now("us", orders)
    val clock  = new ManualClock(Instant.now)
    val limits = new AdmissionControl(None, clock)
    val driver = new OpenedDriver(skipping, clusters, () => both, admission = limits).driver
    try {
      val one = driver.latest(start, allowed)
      clusters.now("eu", answer("orders" -> has(0 -> 17)))
      clock.advance(Duration.ofMinutes(10))
      ranges(start, one) -> ranges(one, driver.latest(one, allowed))
    } finally driver.close()
  }

  test("the first trigger of a run reads what there is, and the next one waits for more") {
    assertEquals(run(15), Vector("eu orders 0 10-15") -> Vector.empty[String])
  }
  test("the next one waits, too, if the first one had nothing to read") {
    assertEquals(run(10), Vector.empty[String] -> Vector.empty[String])
  }
}
