package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.fakes.{LogLines, WholeLogs}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** What is taken off the list before anything of it began is not drained, and a warning says so. */
class NeverBegunSuite extends FunSuite with StepScenes {
  private def led(end: Long, topic: String) = Present(Some(topic), Map(0 -> Extent(0, end, end, Some(1))))
  private val other                         = "us" -> topics("orders")

  private def run(
      first: Topology,
      second: Topology,
      last: Topology,
      upFirst: Boolean,
      policy: ReconcilePolicy = skipping,
      falls: Boolean = true
  ): (Vector[String], Long, Vector[String]) = {
    val kafka              = new WholeLogs
    @volatile var metadata = first
    val here               = new OpenedDriver(policy, kafka, () => metadata)
    var at                 = SourceOffset.initial
    var read               = Vector.empty[String]
    val up                 = answer("orders" -> led(17, "T1"), "refunds" -> led(9, "T2")).of("K1")
    def step(topology: Topology, times: Int): Unit = {
      metadata = topology
      here.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
      for (_ <- 1 to times) {
        val next = here.driver.latest(at, ReadLimits.everything)
        read ++= ranges(at, next)
        at = OffsetJson.read(OffsetJson.write(next))
        here.asks.rest(Duration.ofMillis(300))
      }
    }
    try {
      val lines = LogLines.of(classOf[StepRunner]) {
        kafka.now("us", answer("orders" -> led(5, "T9")).of("K9"))
        kafka.now("eu", if (upFirst) up else down)
        step(first, 2)
        if (falls) kafka.now("eu", down)
        step(second, 3)
        kafka.now("eu", up)
        step(last, 5)
      }
      (read.filter(_.startsWith("eu")), here.driver.remembered.abandonedRecords, lines.filter(_.contains("eu")))
    } finally here.driver.close()
  }

  private val eu = listed("eu" -> topics("orders"), other)

  test("control: a cluster that was never reached is taken off whole: a warning says so") {
    val (read, _, lines) = run(eu, eu, listed(other), upFirst = false)
    assertEquals(read, Vector.empty[String])
    assert(lines.exists(_.contains("before it was ever reached")), lines)
  }

  test("a cluster that was never reached is taken off by topics: []") {
    val (read, abandoned, lines) = run(eu, eu, listed("eu" -> topics(), other), upFirst = false)
    assertEquals((read, abandoned), (Vector.empty[String], 0L))
    assert(lines.exists(_.contains("before it could begin")), lines)
  }

  test("a topic that was never reached is taken off") {
    val (read, abandoned, lines) = run(eu, listed("eu" -> topics("orders", "refunds"), other), eu, upFirst = true)
    assertEquals((read.filter(_.contains("refunds")), abandoned), (Vector.empty[String], 0L))
    assert(
      lines.exists(_.contains("topic refunds of cluster eu was removed from the metadata before it could begin")),
      lines
    )
  }

  test("default options: a topic that was paused since it was listed is taken off") {
    val paused                   = listed("eu" -> topics("orders", "refunds").pausing("refunds"), other)
    val (read, abandoned, lines) = run(eu, paused, eu, upFirst = true, fromEarliest, falls = false)
    assertEquals((read.filter(_.contains("refunds")), abandoned), (Vector.empty[String], 0L))
    assert(
      lines.exists(_.contains("topic refunds of cluster eu was removed from the metadata before it could begin")),
      lines
    )
  }

  test("default options: an inactive cluster that is down is taken off by topics: []") {
    val inactive                 = listed("eu" -> topics("orders").inactive, other)
    val (read, abandoned, lines) =
      run(listed(other), inactive, listed("eu" -> topics(), other), upFirst = false, fromEarliest)
    assertEquals((read, abandoned), (Vector.empty[String], 0L))
    assert(lines.exists(_.contains("before it could begin")), lines)
  }
}
