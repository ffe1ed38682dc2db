package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** A topic that was listed, to be read from its earliest record, and taken off before anything of it began. */
class TakenOffUnbegunSuite extends FunSuite {
  private val alone  = listed("eu" -> topics("orders"))
  private val moment = Duration.ofMinutes(1)

  private def eu(refunds: Int, orders: Int = 10) =
    "eu" -> answer("orders" -> has(0 -> orders).of("T1"), "refunds" -> has(0 -> refunds).of("T2")).of("K1")
  private val hides = "eu" -> answer("orders" -> has(0 -> 10).of("T1"), "refunds" -> hidden).of("K1")

  /** What is read or warned of once the topic is off the list. */
  private def said(before: Query, gone: Topology): Vector[String] = {
    val first = before.after(moment).sees(gone)(eu(9))
    val next  = first.read.after(moment).sees(gone)(eu(9))
    val last  = next.read.after(moment).sees(gone)(eu(9))
    Vector(first, next, last).flatMap(seen => seen.ranges ++ seen.notices.map(_.warning.toString))
  }

  private def drains(before: Query): Unit =
    assertEquals(said(before, alone).filter(_.contains("refunds")), Vector("eu refunds 0 0-9"))

  private def warned(all: Vector[String], of: String): Unit =
    assertEquals(all.count(said => said.contains(of) && said.contains("before it could begin")), 1, all)

  private def warned(before: Query): Unit = warned(said(before, alone), "refunds")

  test("control: a topic that had begun drains") {
    val query = Query(fromEarliest).sees(listed("eu" -> topics("orders", "refunds")))(eu(0)).read
    drains(query)
  }

  test("control: so does one that had begun and is paused when it is taken off") {
    val both  = topics("orders", "refunds")
    val begun = Query(fromEarliest).sees(listed("eu" -> both))(eu(0)).read
    drains(begun.after(moment).sees(listed("eu" -> both.pausing("refunds")))(eu(9)).read)
  }

  test("one that was paused since it was first listed does not, and a warning says so") {
    val rests = listed("eu" -> topics("orders", "refunds").pausing("refunds"))
    warned(Query(fromEarliest).sees(rests)(eu(9)).read.after(moment).sees(rests)(eu(9)).read)
  }

  test("nor does a whole cluster that was paused since it was first listed") {
    val rests = listed("eu" -> topics("refunds").paused, "us" -> topics("orders"))
    val us    = "us" -> answer("orders" -> has(0 -> 5).of("T3")).of("K2")
    val gone  = listed("us" -> topics("orders"))
    val query = Query(fromEarliest).sees(rests)(eu(9), us).read.after(moment).sees(rests)(eu(9), us).read
    val first = query.after(moment).sees(gone)(eu(9), us)
    val next  = first.read.after(moment).sees(gone)(eu(9), us)
    val all   = Vector(first, next).flatMap(seen => seen.ranges ++ seen.notices.map(_.warning.toString))
    warned(all, "cluster eu")
  }

  test("nor does one that was listed while its known cluster was out of reach") {
    val known = Query(skipping).sees(alone)(eu(0)).read
    warned(known.after(moment).sees(listed("eu" -> topics("orders", "refunds")))().read)
  }

  test("nor does one that we were not allowed to see") {
    warned(Query(skipping).sees(listed("eu" -> topics("orders", "refunds")))(hides).read)
  }

  /** Off the list for longer than its retention, and listed again without any line. */
  private def back(begun: Query): Vector[String] = {
    val off  = begun.after(moment).sees(alone)(eu(9)).read
    val late = off.after(Duration.ofDays(31)).sees(alone)(eu(9, 12)).read
    late.after(moment).sees(listed("eu" -> topics("orders", "refunds")))(eu(9, 12)).ranges
  }

  test("control: after its retention a topic that had begun is new") {
    val named = topics("orders", "refunds").startingAt("""{"refunds":{"0":5}}""")
    assertEquals(back(Query(fromEarliest).sees(listed("eu" -> named))(eu(9)).read), Vector("eu refunds 0 0-9"))
  }

  test("so is one that had not begun") {
    val named = topics("orders", "refunds").startingAt("""{"refunds":{"0":5}}""").pausing("refunds")
    assertEquals(back(Query(fromEarliest).sees(listed("eu" -> named))(eu(9)).read), Vector("eu refunds 0 0-9"))
  }

  /** Taken off before it began, paused for 40 days, off the list for 10 more, and listed again. */
  private def afterPause(begins: Topology): Vector[String] = {
    val off    = Query(fromEarliest).sees(begins)(eu(9)).read.after(moment).sees(alone)(eu(9)).read
    val rests  = listed("eu" -> topics("orders").pausing("refunds"))
    val paused = off.after(moment).sees(rests)(eu(9)).read.after(Duration.ofDays(40)).sees(rests)(eu(9, 11)).read
    val ended  = paused.after(moment).sees(alone)(eu(9, 12)).read.after(Duration.ofDays(10)).sees(alone)(eu(9, 13)).read
    ended.after(moment).sees(listed("eu" -> topics("orders", "refunds")))(eu(
      9,
      13
    )).ranges.filter(_.contains("refunds"))
  }

  test("its retention counts from when a pause ends") {
    val rests = topics("orders", "refunds").startingAt("""{"refunds":{"0":5}}""").pausing("refunds")
    assertEquals(afterPause(listed("eu" -> rests)), Vector("eu refunds 0 5-9"))
  }
}
