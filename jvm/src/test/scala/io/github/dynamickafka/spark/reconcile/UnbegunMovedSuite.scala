package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.ListedCluster

/** What is taken off before it began, where another id continues a part of its cluster. */
class UnbegunMovedSuite extends FunSuite {
  private val moment = Duration.ofMinutes(1)

  private def eu(refunds: Int, orders: Int = 10) =
    "eu" -> answer("orders" -> has(0 -> orders).of("T1"), "refunds" -> has(0 -> refunds).of("T2")).of("K1")
  private def us(orders: Int = 10) =
    "us" -> answer("orders" -> has(0 -> orders).of("T9")).of("K2")
  private def said(seen: Seen): Vector[String] = seen.ranges ++ seen.notices.map(_.warning.toString)

  // Topic by topic: orders is on us as well, refunds (paused since it was listed) is not.
  private def warnsOfRefunds(us: ListedCluster): Unit = {
    val before = listed("eu" -> topics("orders", "refunds").pausing("refunds"), "us" -> us)
    val gone   = listed("eu" -> topics("orders"), "us" -> us)
    val query  =
      Query(fromEarliest).sees(before)(eu(9), this.us()).read.after(moment).sees(before)(eu(9), this.us()).read
    val one = query.after(moment).sees(gone)(eu(9), this.us())
    val all = said(one) ++ said(one.read.after(moment).sees(gone)(eu(9), this.us()))
    assertEquals(all.count(text => text.contains("refunds") && text.contains("before it could begin")), 1, all)
  }

  test("a topic that was paused since it was listed is taken off a cluster that another one continues: a warning") {
    warnsOfRefunds(topics("orders").continuing("eu"))
  }

  test("control: without the line") {
    warnsOfRefunds(topics("orders"))
  }

  test("a whole cluster that was never reached is taken off, of which another one continues only a part") {
    val line   = "us" -> topics("orders").continuing("eu")
    val before = listed("eu" -> topics("orders", "refunds"), line)
    val gone   = listed(line)
    val skip   = skipping
    val query  = Query(skip).sees(before)(us()).read.after(moment).sees(before)(us()).read
    val one    = query.after(moment).sees(gone)(us())
    val two    = one.read.after(moment).sees(gone)(us())
    val all    = said(one) ++ said(two)
    assert(
      all.exists(text =>
        text.contains(
          "eu"
        ) && (text.contains("never reached") || text.contains("ever reached") || text.contains("before it could begin"))
      ),
      all
    )
  }

  // A partition of the log is leaderless since it was first seen. us reads on; then eu is listed alone again.
  test("fail-back with a partition that has not begun: nothing says that the topic was never begun") {
    def k1(end: Int) = "eu" -> answer("orders" -> has(0 -> end).of("T1").leaderless(1)).of("K1")
    def k2(end: Int) = "us" -> answer("orders" -> has(0 -> end).of("T9").leaderless(1)).of("K2")
    val both         = listed("eu" -> topics("orders"), "us" -> topics("orders").continuing("eu"))
    val onlyUs       = listed("us" -> topics("orders").continuing("eu"))
    val onlyEu       = listed("eu" -> topics("orders"))
    val q1           = Query(skipping).sees(both)(k1(10), k2(10)).read
    val q2           = q1.after(moment).sees(onlyUs)(k2(12)).read
    val q3           = q2.after(moment).sees(onlyUs)(k2(14)).read
    val back         = q3.after(moment).sees(onlyEu)(k1(16))
    val more         = back.read.after(moment).sees(onlyEu)(k1(16))
    assert(!(said(back) ++ said(more)).exists(_.contains("before it could begin")), said(back) ++ said(more))
  }
}
