package io.github.dynamickafka.spark.driver.trigger

import java.time.{Duration, Instant}
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{ManualClock, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.plan.ReadLimits

/** Two topics are deleted one after the other, and each is taken off the metadata later. */
class LossAfterLossSuite extends FunSuite with StepScenes {
  private val all    = listed("eu" -> topics("bills", "orders", "rest"))
  private val policy = fromEarliest.copy(agreement = Duration.ofMillis(600))
  private val later  = "bills"  -> has(0 -> 10).of("T1")
  private val gone   = "orders" -> has(0 -> 10).of("T2")
  private val kept   = "rest"   -> has(0 -> 10).of("T3")

  test("a fetch that began before asks agreed that the second is deleted does not decide about it") {
    val kafka            = new ScriptedClusters
    val clock            = new ManualClock(Instant.ofEpochMilli(1000))
    val fetched          = new AtomicInteger
    @volatile var judged = false
    def metadata()       =
      if (!judged) all
      else if (fetched.incrementAndGet() == 1) {
        clock.advance(Duration.ofMillis(700))
        listed("eu" -> topics("bills", "rest"))
      } else listed("eu" -> topics("rest"))
    val held = Query(policy).sees(all)("eu" -> answer(later, gone, kept).of("K1")).read.held
    val here = new OpenedDriver(policy, kafka, () => metadata(), clock = clock).driver
    try {
      kafka.now("eu", answer(later, gone, kept).of("K1"))
      assertEquals(here.latest(held, ReadLimits.everything), held)
      judged = true
      kafka.now("eu", answer(later, "orders" -> absent, kept).of("K1"))
      here.latest(held, ReadLimits.everything): Unit
      clock.advance(Duration.ofMillis(400))
      kafka.now("eu", answer("bills" -> absent, "orders" -> absent, kept).of("K1"))
      here.latest(held, ReadLimits.everything): Unit
      clock.advance(Duration.ofMillis(300))
      assertEquals(fetched.get, 0, "nothing is certain yet")
      // Now asks agree about `orders` alone. While the fetch lasts that this calls for, they come to agree about `bills`.
      here.latest(held, ReadLimits.everything): Unit
      assertEquals(fetched.get, 2)
    } finally here.close()
  }
}
