package io.github.dynamickafka.spark.driver.trigger

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits

/** A broker that is cut off from its controllers goes on answering with a topic that was deleted since. */
class ReplacedTopicSuite extends FunSuite with StepScenes {
  private val eu                           = listed("eu" -> topics("orders"))
  private def orders(id: String, end: Int) = answer("orders" -> has(0 -> end).of(id)).of("K1")
  private val everything                   = ReadLimits.everything

  test("a topic was created again and is read; then a broker answers with the id before: nothing is read of that") {
    val kafka = new ScriptedClusters
    kafka.now("eu", orders("T2", 5))
    val held = Query(fromEarliest).sees(eu)("eu" -> orders("T1", 10)).read.held
    val here = new OpenedDriver(skipping.copy(failOnDataLoss = false), kafka, () => eu).driver
    try {
      def step(at: SourceOffset): (SourceOffset, Vector[String]) = {
        val next = here.latest(at, everything)
        here.plan(at, next)
        (next, ranges(at, next))
      }
      val (first, read) = step(held)
      assertEquals(read, Vector("eu orders 0 0-5"))
      kafka.now("eu", orders("T1", 10))
      val (second, stale) = step(first)
      kafka.now("eu", orders("T2", 8))
      val (_, again) = step(second)
      assertEquals((stale, again), (Vector.empty, Vector("eu orders 0 5-8")))
    } finally here.close()
  }
}
