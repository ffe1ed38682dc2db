package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** `continues` comes after both ids were read on their own, or comes by mistake. */
class LateLineSuite extends FunSuite {
  private val orders = topics("orders")
  private val next   = orders.continuing("eu")
  private val apart  = listed("eu" -> orders, "new" -> orders)
  private val both   = listed("eu" -> orders, "new" -> next)
  private val moved  = listed("new" -> next)

  private def eu(end: Int)     = "eu"  -> answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int) = "new" -> answer("orders" -> has(0 -> end).of("T9")).of("K2")

  private val read = Query(fromEarliest).sees(apart)(eu(12), mirror(11)).read
  private val late = read.sees(both)(eu(14), mirror(14))

  private def warned(seen: Seen): Vector[Notice] = seen.notices.collect { case notice: Notice.StandsBy => notice }

  test("the older one goes on, a warning says so once, and the positions of the other are kept") {
    assertEquals(late.ranges, Vector("eu orders 0 12-14"))
    assertEquals(warned(late).map(_.warning.condition), Vector(Condition.ClusterDuplicated: Condition))
    assert(late.urgent)
    assertEquals(late.positions, Vector("eu orders 0 [0,14,0]", "new orders 0 [0,11,0]"))
    val again = late.read.sees(both)(eu(14), mirror(14))
    assertEquals((warned(again), again.urgent), (Vector.empty, false))
  }

  test("the line is taken back: the other goes on where it was, and no record of it is read again or left out") {
    val back = late.read.after(Duration.ofHours(1)).sees(apart)(eu(16), mirror(16))
    assertEquals(back.ranges, Vector("eu orders 0 14-16", "new orders 0 11-16"))
  }

  test("the other id also goes on where it was if its cluster is down meanwhile, or paused") {
    val down = read.sees(both)(eu(14)).read.sees(both)(eu(14)).read
    assertEquals(down.sees(apart)(eu(14), mirror(16)).ranges, Vector("new orders 0 11-16"))
    val rests = read.sees(listed("eu" -> orders, "new" -> next.paused))(eu(14), mirror(14)).read
    assertEquals(rests.sees(apart)(eu(14), mirror(16)).ranges, Vector("new orders 0 11-16"))
  }

  test("the old one goes: its position is the log's, also where the other one was read less far, or was paused") {
    assertEquals(late.read.sees(moved)(mirror(16)).ranges, Vector("new orders 0 14-16"))
    val rests = read.sees(listed("eu" -> orders, "new" -> next.paused))(eu(14), mirror(14)).read
    val waits = rests.sees(listed("new" -> next.paused))(mirror(15)).read
    assertEquals(waits.sees(moved)(mirror(16)).ranges, Vector("new orders 0 14-16"))
    val gap = late.read.after(Duration.ofHours(1)).sees(Topology.empty)(eu(14), mirror(14)).read
    assertEquals(gap.sees(moved)(mirror(16)).ranges, Vector("new orders 0 14-16"))
  }

  test("the kept positions of the other id are forgotten when removedClusterRetention is over") {
    val later = late.read.after(Duration.ofDays(31)).sees(both)(eu(14), mirror(14))
    assertEquals(later.offset.partitions.map(_._1.cluster.value).toVector, Vector("eu"))
  }

  test("a position that is handed over has a higher number than any that its new id has held on its own") {
    val lenient          = Query(fromEarliest.copy(failOnDataLoss = false)).sees(apart)(eu(12), mirror(11)).read
    def aged(start: Int) = "new" -> answer("orders" -> has(start -> (start + 20)).of("T9")).of("K2")
    for (times <- 0 to 3) {
      val gone  = (1 to times).foldLeft(lenient)((at, n) => at.sees(apart)(eu(12), aged(n * 100)).read)
      val taken = gone.sees(Topology.empty)(eu(12), aged(times * 100)).read.sees(moved)(mirror(400))
      assertEquals(taken.ranges, Vector("new orders 0 12-400"), s"$times times aged out")
      val before = gone.sees(both)(eu(12), aged(times * 100)).read
      assertEquals(before.sees(moved)(mirror(400)).ranges, Vector("new orders 0 12-400"), s"$times, with a late line")
    }
  }
}
