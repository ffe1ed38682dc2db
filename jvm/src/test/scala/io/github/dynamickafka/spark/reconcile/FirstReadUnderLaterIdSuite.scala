package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._

/** A query that began on the newer id alone; the older one, which it continues, is listed beside it later. */
class FirstReadUnderLaterIdSuite extends FunSuite with MovingLog {
  private def renamed(ends: Int*) = "new" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")

  test("the old one, listed alone after it stood by, continues at the position of its mirror") {
    val began = Query(fromEarliest).sees(moved)(mirror(12)).read
    val stood = began.sees(both)(eu(14), mirror(14)).read
    val alone = stood.sees(old)(eu(16), mirror(14))
    assertEquals(alone.ranges, Vector("eu orders 0 14-16"))
  }

  test("so does one of the same Kafka cluster") {
    val began = Query(fromEarliest).sees(moved)(renamed(12)).read
    val stood = began.sees(both)(eu(14), renamed(14)).read
    val alone = stood.sees(old)(eu(16), renamed(16))
    assertEquals(alone.ranges, Vector("eu orders 0 14-16"))
  }

  test("so does a topic that was added after the retention of the old id") {
    val (o, n)        = (topics("orders", "refunds"), topics("orders", "refunds").continuing("eu"))
    def eu2(at: Int)  = "eu"  -> answer("orders" -> has(0 -> at).of("T1"), "refunds" -> has(0 -> at).of("T2")).of("K1")
    def new2(at: Int) = "new" -> answer("orders" -> has(0 -> at).of("T9"), "refunds" -> has(0 -> at).of("T8")).of("K2")
    val failedOver    = Query(fromEarliest).sees(old)(eu(12)).read.sees(both)(eu(12), mirror(12)).read
      .sees(moved)(mirror(14)).read
    val later = failedOver.after(Duration.ofDays(31)).sees(moved)(mirror(15)).read
    assertEquals(later.held.clusters.keySet.map(_.value).toSet, Set("new"))
    val added = later.sees(listed("new" -> n))(new2(20)).read
    val stood = added.sees(listed("eu" -> o, "new" -> n))(eu2(20), new2(20)).read
    val alone = stood.sees(listed("eu" -> o))(eu2(22), new2(20))
    assertEquals(alone.ranges, Vector("eu orders 0 20-22", "eu refunds 0 20-22"))
  }

  test("so does the old one, if the line came after the new one was read on its own") {
    val began = Query(fromEarliest).sees(listed("new" -> orders))(mirror(12)).read
    val stood = began.sees(both)(eu(14), mirror(14)).read
    assertEquals(ranges(began.held, stood.held), Vector("new orders 0 12-14"))
    assertEquals(stood.sees(old)(eu(16), mirror(14)).ranges, Vector("eu orders 0 14-16"))
  }

  test("one that was listed before the new one began stays the same log, with or without the line") {
    val began = Query(skipping).sees(old)("eu" -> down).read.sees(moved)(mirror(12)).read
    val apart = began.sees(listed("eu" -> orders, "new" -> orders))(eu(16), mirror(16))
    assertEquals(apart.ranges, Vector("new orders 0 12-16"))
  }

  test("listed apart again, the old one is another log") {
    val began = Query(fromEarliest).sees(moved)(mirror(12)).read
    val stood = began.sees(both)(eu(14), mirror(14)).read
    val apart = stood.sees(listed("eu" -> orders, "new" -> orders))(eu(16), mirror(16))
    assertEquals(apart.ranges, Vector("eu orders 0 0-16", "new orders 0 14-16"))
    val drained = apart.read.sees(old)(eu(16), mirror(18))
    assertEquals(drained.ranges, Vector("new orders 0 16-18"))
  }

  test("a log that was handed over while it was empty stays one log, with or without the line") {
    val held = Query(fromEarliest).sees(old)(eu(0)).read
    val over = held.sees(moved)(mirror(0)).read
    val more = over.sees(moved)(mirror(12)).read
    assertEquals(positions(more.held).map(_.takeWhile(_ != ' ')), Vector("new"))
    val apart = more.sees(listed("eu" -> orders, "new" -> orders))(eu(16), mirror(16))
    assertEquals(apart.ranges, Vector("new orders 0 12-16"))
  }

  test("so does one whose mirror had got nothing: mirroring ended at 0") {
    val held   = Query(fromEarliest).sees(old)(eu(20)).read
    val ended0 = next.startingAt("""{"orders":{"0":0}}""")
    val more   = held.sees(listed("new" -> ended0))(mirror(5)).read
    assertEquals(positions(more.held), Vector("new orders 0 [0,5,1]"))
    val apart = more.sees(listed("eu" -> orders, "new" -> orders))(eu(20), mirror(16))
    assertEquals(apart.ranges, Vector("new orders 0 5-16"))
  }
}
