package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._

/** A query that began while a mirror was read in place of another cluster, which it has never seen. */
class NeverKnownSuite extends FunSuite with MovingLog {
  private val begun = Query(fromEarliest).sees(moved)(mirror(10, 10)).read

  test("a fail-back to a cluster that was never listed reads nothing twice") {
    assertEquals(begun.sees(old)(eu(12, 10)).ranges, Vector("eu orders 0 10-12"))
  }

  test("if both are listed, without the line, they are two logs") {
    val apart = listed("eu" -> orders, "new" -> orders)
    assertEquals(begun.sees(apart)(eu(12, 10), mirror(10, 10)).ranges, Vector("eu orders 0 0-12", "eu orders 1 0-10"))
  }
}
