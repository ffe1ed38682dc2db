package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._

/** What drains never fails a frozen run. */
class DrainInRunSuite extends FunSuite with MovingLog {
  test("a partition of a draining topic that nobody leads does not fail a frozen run of its listed cluster") {
    val names        = topics("orders", "old")
    def eu(end: Int) = "eu" -> answer("orders" -> has(0 -> end).of("T1"), "old" -> has(0 -> end).of("T2")).of("K1")
    val begun        = Query(fromEarliest).sees(listed("eu" -> names))(eu(10)).read
    val topo         = listed("eu" -> orders)
    val first        = begun.sees(topo)(eu(15))
    val run          = FrozenRun.from(topo, first.step)
    val held         = first.readSome(_.map { case (id, _) => id -> 12L })
    val lost         = answer("orders" -> has(0 -> 15).of("T1"), "old" -> has().of("T2").leaderless(0)).of("K1")
    // What a run that is not frozen does.
    assert(held.sees(topo)("eu" -> lost).outcome.isRight)
    val input = held.sees(topo)("eu" -> lost).input
    assert(run.step(input, fromEarliest).isRight, run.step(input, fromEarliest))
  }
}
