package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** Under `skip` another Kafka cluster answers at the address of `eu`, with a topic of the same name, which has an id of its own. */
class StrangerDelaySuite extends FunSuite with StepScenes {
  private def eu(end: Int) = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def us(end: Int) = answer("orders" -> has(0 -> end).of("T5")).of("K5")

  private def stranger(id: String): ClusterObservation =
    if (id == "down") down else answer("orders" -> has(0 -> 3).of(s"T-$id")).of(s"K-$id")

  private def took(first: String, strangers: String*): Vector[Long] = {
    val held  = Query(skipping).sees(both)("eu" -> eu(10), "us" -> us(10)).read.held
    val kafka = new ScriptedClusters
    kafka.now("eu", eu(10))
    kafka.now("us", us(10))
    val here = new OpenedDriver(skipping, kafka, () => both).driver
    try {
      var at: SourceOffset = here.latest(held, ReadLimits.everything)
      (first +: strangers).zipWithIndex.map { case (id, n) =>
        kafka.now("eu", stranger(id))
        kafka.now("us", us(11 + n))
        val began = System.nanoTime
        val next  = here.latest(at, ReadLimits.everything)
        val time  = Duration.ofNanos(System.nanoTime - began).toMillis
        assertEquals(ranges(at, next), Vector(s"us orders 0 ${10 + n}-${11 + n}"))
        at = next
        time
      }.toVector
    } finally here.close()
  }

  test("control: a cluster that fails") {
    val times = took("down")
    assert(times.forall(_ < 1500), times)
  }

  test("the others wait for it for a second at most") {
    val times = took("a")
    assert(times.forall(_ < 1500), times)
  }

  test("nor do they while the address leads to this cluster and to that") {
    val times = took("a", "b", "a", "b")
    assert(times.forall(_ < 1500), times)
  }
}
