package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** A run of `AvailableNow` with `failOnDataLoss=false`, in several batches. A listed topic is gone in its middle. */
class GoneInFrozenRunSuite extends FunSuite {
  private val lax  = fromEarliest.copy(failOnDataLoss = false)
  private val only = listed("eu" -> topics("orders"))

  private def eu(id: String, end: Int) = "eu" -> answer("orders" -> has(0 -> end).of(id)).of("K1")

  private def words(after: (String, ClusterObservation)): Vector[String] = {
    val first = Query(lax).sees(only)(eu("T1", 10)).read.sees(only)(eu("T1", 15))
    val run   = FrozenRun.from(only, first.step)
    val some  = first.readSome(_.map { case (id, _) => id -> 12L })
    val once  = some.sees(only)(after).input
    val known = some.copy(known = once.known).after(policy.agreement).sees(only)(after).input
    val step  = run.step(known, lax).fold(failure => fail(failure.toString), identity)
    assertEquals(step.readable.size, 0)
    step.notices.map(_.warning.toString)
  }

  test("deleted: 3 records before the target are not read, and a warning says so") {
    assert(words("eu" -> answer("orders" -> absent).of("K1")).nonEmpty)
  }

  test("created again: the same") {
    assert(words(eu("T2", 100)).nonEmpty)
  }
}
