package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** A log that was cut off, written again, and then removed. */
class DrainCutSuite extends FunSuite with MovingLog {
  // The query has read up to 10 in epoch 5.
  private def epoch5 = Query(fromEarliest).sees(old)(led("eu", 10, 5)).read

  private def led(id: String, end: Long, epoch: Int): (String, ClusterObservation) =
    id -> answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")

  test("what was written after a cut and before the removal drains where loss is allowed") {
    val lax  = epoch5.under(_.copy(failOnDataLoss = false))
    val seen = lax.sees(Topology.empty, { case Question(_, LogAgreement(10, 5)) => Some(6L) })(led("eu", 26, 6))
    assertEquals(seen.ranges, Vector("eu orders 0 6-26"))
  }
}
