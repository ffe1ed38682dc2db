package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.FailureJudge.{Charge, Later, Verdict}
import io.github.dynamickafka.spark.topology.Topology

/** Whether a failure ends the query, by what a later fetch of the metadata says. */
class FailureJudgeSuite extends FunSuite {
  private val eu    = topics("orders")
  private val basis = StepBasis(SourceOffset.initial, listed("eu" -> eu, "us" -> topics("orders")))

  private def verdict(later: Later, of: String*): Verdict =
    FailureJudge.verdict(Charge(of.map(ClusterId(_)).toSet, basis), later, fromEarliest)

  test("what is still listed as it was fails the query, and so does a fetch that fails, or that is never made") {
    for (
      later <- Seq(Later.Lists(basis.topology), Later.Failed, Later.None); of <- Seq(Seq("eu"), Seq("eu", "us"), Nil)
    )
      assertEquals(verdict(later, of: _*), Verdict.Fails: Verdict)
  }

  test("while the fetch is under way nothing is decided") {
    assertEquals(verdict(Later.Pending, "eu"), Verdict.Held: Verdict)
  }

  test("what is listed no more, or otherwise, inactive, paused, or continued by another one is asked again") {
    val us    = "us" -> topics("orders")
    val newer = Seq(
      listed(us),
      listed("eu" -> eu.inactive, us),
      listed("eu" -> eu.paused, us),
      listed("eu" -> topics("orders", "refunds"), us),
      Topology.empty
    )
    newer.foreach(now => assertEquals(verdict(Later.Lists(now), "eu"), Verdict.AskAgain: Verdict, now))
  }

  test("of several clusters, one that stands as it was is enough; another cluster's change forgives nothing") {
    assertEquals(verdict(Later.Lists(listed("us" -> topics("orders"))), "eu", "us"), Verdict.Fails: Verdict)
    assertEquals(verdict(Later.Lists(listed("eu" -> eu)), "eu"), Verdict.Fails: Verdict)
  }

  test("loss is judged anew on any change of what is listed") {
    assertEquals(verdict(Later.Lists(listed("eu" -> eu))), Verdict.AskAgain: Verdict)
  }

  test("under skip nothing is needed, so no failure of a cluster gets here") {
    val seen = Query(skipping).sees(basis.topology)("eu" -> down, "us" -> answer("orders" -> has(0 -> 1)))
    assertEquals(seen.outcome.isRight, true)
  }
}
