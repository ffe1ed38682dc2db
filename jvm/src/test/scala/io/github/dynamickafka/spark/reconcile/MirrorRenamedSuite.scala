package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.driver.uncommitted.StandIns
import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.plan.OffsetRange

/** What is known of a cluster is known of it under another id, or in another role. */
class MirrorRenamedSuite extends FunSuite with MovingLog {
  private def k2(ends: Int*) = answer("orders" -> has(ends.map(0 -> _): _*).of("T9")).of("K2")
  private val newer          = listed("newer" -> orders.continuing("eu", "new"))

  test("a mirror that is held as behind is held under another id, too") {
    val found = query.sees(moved)(mirror(7, 10)).read
    val seen  = found.after(Duration.ofHours(1)).sees(newer)("newer" -> k2(20, 10))
    assertEquals(seen.ranges, Vector.empty)
    assertEquals(seen.read.sees(newer)("newer" -> k2(30, 10)).ranges, Vector.empty)
  }

  test("so is one that stood by, behind, under the earlier id") {
    val stood = query.sees(both)(eu(10, 10), mirror(7, 10)).read
    val seen  = stood.after(Duration.ofMinutes(1)).sees(newer)("newer" -> k2(20, 10))
    assertEquals(seen.ranges, Vector.empty)
  }

  test("so is one under whose earlier id a batch is logged") {
    val found = query.sees(moved)(mirror(7, 10)).read.sees(old)(eu(10, 12)).read
    val names = Map(ClusterId("eu") -> Set("orders"))
    val seen  = Map(ClusterId("newer") -> k2(20, 12))
    val by    = StandIns.of(StandIns.candidates(names, found.held, newer), names, found.held, newer, seen)
    val range = OffsetRange(partition("eu", "orders", 0), 7, 10, StreamId("s"))
    val back  = by.behind(Vector(range), by.answers(names.keys, seen))
    assertEquals(back.map(one => (one.range, one.why.condition)), Vector((range, Condition.MirrorBehind: Condition)))
  }

  test("its line under the new id frees it") {
    val line  = listed("newer" -> orders.continuing("eu", "new").startingAt("""{"orders":{"0":7,"1":10}}"""))
    val found = query.sees(moved)(mirror(7, 10)).read.sees(newer)("newer" -> k2(20, 10)).read
    assertEquals(found.sees(line)("newer" -> k2(20, 10)).ranges, Vector("newer orders 0 7-20"))
  }

  test("a cluster that was seen short while it was read is held when it is to be read again") {
    val short = query.sees(old)(eu(6, 10)).read
    val away  = short.after(Duration.ofSeconds(5)).sees(moved)(mirror(10, 10)).read
    val back  = away.after(Duration.ofSeconds(5)).sees(old)(eu(12, 10))
    assertEquals(back.ranges, Vector.empty)
  }

  test("control: one that was not seen short goes on") {
    val away = query.sees(moved)(mirror(10, 10)).read
    assertEquals(away.sees(old)(eu(12, 10)).ranges, Vector("eu orders 0 10-12"))
  }
}
