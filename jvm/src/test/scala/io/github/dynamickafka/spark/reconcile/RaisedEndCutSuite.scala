package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** A partition was read to its end, and the end is raised. The brokers give no epochs. The first answer after that shows that
  * the log was cut off below the position; then it grows again.
  */
class RaisedEndCutSuite extends FunSuite {
  private def ending(at: Int): Topology = listed("eu" -> topics("orders").endingAt(s"""{"orders": {"0": $at}}"""))
  private def log(until: Int)           = "eu" -> answer("orders" -> has(0 -> until).of("T1")).of("K1")

  private val finished = Query(fromEarliest).sees(ending(8))(log(8)).read
  private val short    = finished.sees(ending(20))(log(5)).read

  test("what is written again below the position is not skipped in silence") {
    val soon = short.sees(ending(20))(log(15))
    assertEquals(soon.ranges, Vector.empty)
  }

  test("a log that stays short counts as cut off") {
    val later = short.after(policy.agreement).sees(ending(20))(log(6))
    assertEquals(later.outcome.left.map(_.condition).swap.toOption, Some(Condition.DataLoss))
  }

  test("control: below an end that stays, nothing is held") {
    val seen = finished.sees(ending(8))(log(5)).read.sees(ending(8))(log(15))
    assertEquals(seen.notices, Vector.empty)
  }
}
