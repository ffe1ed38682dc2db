package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** A leader that does not answer in the first step of a start. */
class SilentProofSuite extends FunSuite with MovingLog {
  // The query has read up to 10 in epoch 5.
  private def epoch5 = Query(fromEarliest).sees(old)(led("eu", 10, 5)).read

  private def led(id: String, end: Long, epoch: Int): (String, ClusterObservation) =
    id -> answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")

  test("a frozen run does not end in silence where a leader does not answer in its first step") {
    val seen = epoch5.copy(last = None).sees(old)(led("eu", 15, 6))
    assert(seen.outcome.fold(_ => true, _.notices.nonEmpty), seen.outcome)
  }
}
