package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId

/** A topic that is deleted in the middle of a frozen run. */
class DeletedInRunSuite extends FunSuite with MovingLog {
  test("a topic that is deleted in the middle of a frozen run is loss, and never planned") {
    def eu(end: Int) = "eu" -> answer("orders" -> has(0 -> end).of("T1")).of("K1")
    val begun        = Query(fromEarliest).sees(old)(eu(10)).read
    val first        = begun.sees(old)(eu(15))
    val run          = FrozenRun.from(old, first.step)
    val held         = first.readSome(_.map { case (id, _) => id -> 12L })
    val gone         = "eu" -> answer("orders" -> absent).of("K1")
    val later        = held.sees(old)(gone).input
    val known        = held.copy(known = later.known).after(policy.agreement).sees(old)(gone).input
    assert(known.known.suspectedLosses.deleted(ClusterId("eu"), "orders", policy.agreement))
    val strict = run.step(known, fromEarliest)
    val lax    = run.step(known, fromEarliest.copy(failOnDataLoss = false))
    assertEquals(strict.left.map(_.condition), Left(Condition.DataLoss))
    assertEquals(lax.map(_.readable.size), Right(0))
  }
}
