package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.report.Notice

/** A duplicate of an id whose position has gone to a mirror. */
class FormerDuplicateSuite extends FunSuite {
  private val orders          = topics("orders")
  private def k1(end: Int)    = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def k2(end: Int)    = answer("orders" -> has(0 -> end).of("T2")).of("K2")
  private val query           = Query(fromEarliest).sees(listed("eu" -> orders))("eu" -> k1(10)).read
  private def dup(seen: Seen) = seen.notices.collect { case notice: Notice.Duplicate => notice.cluster.value }

  test("a duplicate is freed when the id that has the topic hands over to a mirror") {
    val three = listed("eu" -> orders, "europe" -> orders, "new" -> orders.continuing("eu"))
    val two   = listed("europe" -> orders, "new" -> orders.continuing("eu"))
    val held  = query.sees(three)("eu" -> k1(12), "europe" -> k1(12), "new" -> k2(12))
    assertEquals((held.ranges, dup(held)), (Vector("eu orders 0 10-12"), Vector("europe")))
    val seen = held.read.sees(two)("europe" -> k1(12), "new" -> k2(14))
    val more = seen.read.sees(two)("europe" -> k1(12), "new" -> k2(14))
    assertEquals((seen.ranges ++ more.ranges, dup(more)), (Vector("new orders 0 12-14"), Vector("europe")))
  }

  test("the old Kafka cluster comes back under a new id without continues") {
    val moved = query.sees(listed("new" -> orders.continuing("eu")))("new" -> k2(14)).read
    val two   = listed("europe" -> orders, "new" -> orders.continuing("eu"))
    val seen  = moved.sees(two)("europe" -> k1(12), "new" -> k2(15))
    assertEquals((seen.ranges, dup(seen)), (Vector("new orders 0 14-15"), Vector("europe")))
  }

  test("control: without a mirror it stays a duplicate") {
    val moved = query.sees(listed("us" -> orders))("eu" -> k1(10), "us" -> k2(14)).read
    val two   = listed("europe" -> orders, "us" -> orders)
    val seen  = moved.sees(two)("europe" -> k1(12), "us" -> k2(15))
    assertEquals((seen.ranges, dup(seen)), (Vector("us orders 0 14-15"), Vector("europe")))
  }

  test("a standby of the line is the same cluster: control") {
    val moved = query.sees(listed("new" -> orders.continuing("eu")))("new" -> k2(14)).read
    val two   = listed("eu" -> orders, "europe" -> orders, "new" -> orders.continuing("eu"))
    val seen  = moved.sees(two)("eu" -> k1(12), "europe" -> k1(12), "new" -> k2(15))
    assertEquals((seen.ranges, dup(seen)), (Vector("new orders 0 14-15"), Vector("europe")))
  }

  test("the mirror's Kafka cluster under another id after the fail-back") {
    val moved = query.sees(listed("new" -> orders.continuing("eu")))("new" -> k2(14)).read
    val back  = moved.sees(listed("eu" -> orders))("eu" -> k1(16)).read
    val seen  = back.sees(listed("eu" -> orders, "newer" -> orders))("eu" -> k1(18), "newer" -> k2(18))
    assertEquals((seen.ranges, dup(seen)), (Vector("eu orders 0 16-18"), Vector("newer")))
  }
}
