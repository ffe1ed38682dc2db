package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.report.Notice

/** A log that was seen cut off has grown again when one trigger asks its cluster twice. */
class GrownAskedTwiceSuite extends FunSuite with StepScenes {
  private val quick = fromEarliest.copy(agreement = Duration.ofMillis(300))

  private def grown(fails: Boolean): (Vector[String], Vector[Long]) = {
    val kafka         = new ScriptedClusters
    @volatile var now = both
    kafka.now("eu", orders)
    kafka.now("us", orders)
    val here = new OpenedDriver(quick, kafka, () => now)
    try {
      assertEquals(here.driver.latest(start, ReadLimits.everything), start)
      kafka.now("eu", answer("orders" -> has(0 -> 4)))
      assertEquals(here.driver.latest(start, ReadLimits.everything), start)
      here.asks.rest(Duration.ofMillis(400))
      kafka.now("eu", more)
      if (fails) kafka.now("us", down)
      now = listed("eu" -> topics("orders"))
      val next = here.driver.latest(start, ReadLimits.everything)
      val said = here.driver.remembered.last.toVector.flatMap(_.reconciled.notices)
      (ranges(start, next), said.collect { case one: Notice.GrownAgain => one.lowest })
    } finally here.driver.close()
  }

  test("control: the clusters are asked once")(assertEquals(grown(false), (Vector("eu orders 0 10-15"), Vector(4L))))
  test("another cluster fails, and is no longer listed")(
    assertEquals(grown(true), (Vector("eu orders 0 10-15"), Vector(4L)))
  )
}
