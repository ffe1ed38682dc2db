package io.github.dynamickafka.spark.driver.trigger

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, WholeLogs}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** The end of a partition that is finished is raised or taken away, and its leader has changed since. */
class RaisedEndFrozenSuite extends FunSuite with StepScenes {
  private def led(end: Long, epoch: Int) =
    answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")

  private val five = listed("eu" -> topics("orders").endingAt("""{"orders": {"0": 5}}"""))
  private val held = Query(fromEarliest).sees(five)("eu" -> led(10, 5)).read.held

  private def reads(lists: Topology, epoch: Int, frozen: Boolean) = {
    val kafka = new WholeLogs
    kafka.now("eu", led(10, epoch))
    val here = new OpenedDriver(fromEarliest, kafka, () => lists).driver
    try {
      if (frozen) here.freeze()
      val steps = Iterator.iterate(held)(here.latest(_, ReadLimits.everything)).take(6).toVector
      val read  = steps.zip(steps.tail).flatMap { case (from, to) => ranges(from, to) }
      (read, here.remembered.last.map(_.reconciled.notices).toVector.flatten)
    } finally here.close()
  }

  private val all = (Vector("eu orders 0 5-10"), Vector.empty)

  for (
    (how, lists) <- Seq(
      "taken away" -> listed("eu" -> topics("orders")),
      "raised"     -> listed("eu" -> topics("orders").endingAt("""{"orders": {"0": 10}}"""))
    );
    frozen <- Seq(false, true); epoch <- Seq(5, 6)
  ) test(s"$how, frozen $frozen, epoch $epoch: the run reads on") {
    assertEquals(reads(lists, epoch, frozen), all)
  }

  // The part of the query on this cluster is over. What lies beyond the end has aged out since, and its leader has changed.
  private def aged(epoch: Int) =
    answer(
      "orders"  -> Present(Some("T1"), Map(0 -> Extent(12, 30, 30, Some(epoch)))),
      "refunds" -> has(0 -> 1).of("T2")
    )
      .of("K1")

  for (epoch <- Seq(5, 6))
    test(s"an edit that says the same of a finished partition fails no query, epoch $epoch") {
      val edited = listed("eu" -> topics("orders", "refunds").endingAt("""{"orders": {"0": 5}, "refunds": {"0": 3}}"""))
      val kafka  = new WholeLogs
      kafka.now("eu", aged(epoch))
      for (_ <- 1 to 2) {
        val here = new OpenedDriver(fromEarliest, kafka, () => edited).driver
        try assertEquals(ranges(held, here.latest(held, ReadLimits.everything)), Vector("eu refunds 0 0-1"))
        finally here.close()
      }
    }
}
