package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits

/** A frozen run beside a partition that nobody leads. */
class FrozenRunHamperedSuite extends FunSuite with StepScenes {
  private val eu    = listed("eu" -> topics("orders"))
  private val byTwo = ReadLimits(Some(2), None, aligned = true)

  test("it reads all of its targets though its only cluster takes 1.5 s for one answer") {
    val kafka = new ScriptedClusters
    val here  = new OpenedDriver(skipping, kafka, () => eu).driver
    val held  = Query(skipping).sees(eu)("eu" -> answer("orders" -> has(0 -> 10, 0 -> 10).of("T1")).of("K1")).read.held
    val part  = answer("orders" -> only(0 -> (0 -> 16)).of("T1").leaderless(1)).of("K1")
    def next(at: SourceOffset) = here.latest(at, byTwo)
    try {
      here.freeze()
      kafka.now("eu", part)
      val first = next(held)
      assertEquals(ranges(held, first), Vector("eu orders 0 10-12"))
      val second = next(first)
      assertEquals(ranges(first, second), Vector("eu orders 0 12-14"))
      kafka.hangs("eu")
      kafka.wakesAfter(Duration.ofMillis(1500), "eu", part)()
      // Spark ends the run once the end of a batch is where it began.
      val third = next(second)
      assertEquals(ranges(second, third), Vector("eu orders 0 14-16"))
    } finally here.close()
  }
}
