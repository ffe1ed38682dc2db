package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetPoint

/** A query that began while a mirror was read in place of another cluster, which it has never seen. */
class NeverKnownSuite extends FunSuite with MovingLog {
  private val begun = Query(fromEarliest).sees(moved)(mirror(10, 10)).read

  test("a fail-back to a cluster that was never listed reads nothing twice") {
    assertEquals(begun.sees(old)(eu(12, 10)).ranges, Vector("eu orders 0 10-12"))
  }

  test(
    "listed alone it was out of reach; listed apart later, it is a log of its own that begins as a new cluster does"
  ) {
    val latest         = Query(skipping.copy(newCluster = rule("latest"))).sees(moved)(mirror(10, 10)).read
    val apart          = listed("eu" -> orders, "new" -> orders)
    val since: Resolve = { case Question(id, _: OffsetPoint.Timestamp) => Some(if (id.partition == 0) 11L else 10L) }
    val back           = latest.sees(old)("eu" -> down).read.sees(apart, since)(eu(12, 10), mirror(10, 10))
    assertEquals(back.ranges, Vector("eu orders 0 11-12"))
  }

  test("if both are listed, without the line, they are two logs") {
    val apart = listed("eu" -> orders, "new" -> orders)
    assertEquals(begun.sees(apart)(eu(12, 10), mirror(10, 10)).ranges, Vector("eu orders 0 0-12", "eu orders 1 0-10"))
  }
}
