package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{Continuation, OffsetJson, OffsetPoint, OffsetRule}
import io.github.dynamickafka.spark.reconcile.report.Notice

/** An id that continues another one may be a mirror, or the same Kafka cluster; without its line it is neither. */
class MirrorOrRenameSuite extends FunSuite with MovingLog {
  private def here(id: String, end: Int) = id -> answer("orders" -> has(0 -> end).of("T1")).of("K1")

  test("offsets: a new query reads on under the new id, which had answered an earlier end and is down") {
    val beside = listed("eu" -> orders, "eu2" -> orders.continuing("eu"))
    val alone  = listed("eu2" -> orders.continuing("eu"))
    val begun  = Query(skipping).sees(beside)(here("eu", 10), here("eu2", 10)).read
    val read   = begun.sees(beside)(here("eu", 15), here("eu2", 12)).read
    val off    = read.sees(alone)("eu2" -> down).read
    val start  = Continuation.of(off.held).starting
    val again  = Query(fromEarliest.copy(starting = OffsetRule(Some(OffsetPoint.Earliest), start)))
    assertEquals(again.sees(alone)(here("eu2", 20)).ranges, Vector("eu2 orders 0 15-20"), OffsetJson.write(off.held))
  }

  private val moment = Duration.ofMinutes(1)
  private val stands =
    Query(skipping).sees(old)(eu(10, 10)).read.after(moment).sees(both)(eu(12, 10), mirror(11, 10)).read

  for {
    (how, apart, said) <- Seq(
      ("while it is down", orders, "new"                   -> down),
      ("while it is down and paused", orders.paused, "new" -> down),
      ("while it is paused", orders.paused, mirror(11, 10))
    )
  } test(s"what a standby answered counts though its line is missing in one fetch, $how") {
    val left = stands.after(moment).sees(listed("eu" -> orders, "new" -> apart))(eu(12, 10), said).read
    val seen = left.after(moment).sees(moved)(mirror(20, 10))
    assertEquals(seen.ranges, Vector.empty)
    assertEquals(
      seen.notices.collect { case one: Notice.MirrorBehind => one.partitions.toVector }.flatten,
      Vector(0 -> (12L -> 11L))
    )
  }
}
