package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** A rename in the first step of a frozen run. */
class RenameInRunSuite extends FunSuite with MovingLog {
  // The query has read up to 10 in epoch 5.
  private def epoch5 = Query(fromEarliest).sees(old)(led("eu", 10, 5)).read

  private def led(id: String, end: Long, epoch: Int): (String, ClusterObservation) =
    id -> answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")

  test("a frozen run in which a cluster is renamed reads it, though its leaders have changed") {
    val seen =
      epoch5.copy(last = None).sees(moved, { case Question(_, LogAgreement(10, 5)) => Some(10L) })(led("new", 15, 6))
    assertEquals(seen.ranges, Vector("new orders 0 10-15"))
  }
}
