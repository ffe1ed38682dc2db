package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** Where a topic or partition begins that could not be seen when it was listed first. */
class UnseenStartSuite extends FunSuite with MovingLog {
  private def one(extents: (Int, Int)*) = "eu" -> answer("orders" -> has(extents: _*).of("T1")).of("K1")

  test("the rule of a topic that could not be seen outlives a batch while neither id of its log answers") {
    val lax   = skipping.copy(starting = rule("latest"))
    val names = topics("orders", "refunds")
    val hides = "eu" -> answer("orders" -> has(0 -> 10).of("T1"), "refunds" -> hidden).of("K1")
    val other = "us" -> answer("orders" -> has(0 -> 10).of("T3")).of("K3")
    val more  = "us" -> answer("orders" -> has(0 -> 12).of("T3")).of("K3")
    val begun = Query(lax).sees(listed("eu" -> names, "us" -> orders))(hides, other).read
    assert(begun.held.clusters(ClusterId("eu")).unread.contains("refunds"))
    val after  = listed("new" -> names.continuing("eu"), "us" -> orders)
    val silent = begun.after(Duration.ofHours(1)).sees(after)(more).read
    val shown  = "new" -> answer("orders" -> has(0 -> 10).of("T9"), "refunds" -> has(0 -> 9).of("T8")).of("K2")
    val since  = begin.toEpochMilli
    val seen   = silent.sees(after, { case Question(_, Timestamp(`since`)) => Some(7L) })(shown, more)
    assertEquals(seen.ranges.filter(_.contains("refunds")), Vector("new refunds 0 7-9"))
  }

  test("the same where the topic is taken off for one batch") {
    val lax          = skipping.copy(starting = rule("latest"))
    val names        = topics("orders", "refunds")
    def eu(end: Int) = "eu" -> answer("orders" -> has(0 -> end).of("T1"), "refunds" -> hidden).of("K1")
    val begun        = Query(lax).sees(listed("eu" -> names))(eu(10)).read
    val off          = begun.after(Duration.ofHours(1)).sees(listed("eu" -> orders))(eu(12)).read
    val shown        = "eu" -> answer("orders" -> has(0 -> 12).of("T1"), "refunds" -> has(0 -> 9).of("T8")).of("K1")
    val since        = begin.toEpochMilli
    val seen         = off.sees(listed("eu" -> names), { case Question(_, Timestamp(`since`)) => Some(7L) })(shown)
    assertEquals(seen.ranges.filter(_.contains("refunds")), Vector("eu refunds 0 7-9"))
  }

  test("a partition that nobody led begins by the old id's rule where its topic is handed over") {
    val lax   = skipping.copy(starting = rule("latest"))
    val first = "eu" -> answer("orders" -> has(0 -> 10).of("T1").leaderless(1)).of("K1")
    val begun = Query(lax).sees(old)(first).read
    val since = begin.toEpochMilli
    val seen  =
      begun.after(Duration.ofHours(1)).sees(moved, { case Question(_, Timestamp(`since`)) => Some(7L) })(mirror(12, 9))
    assertEquals(seen.ranges, Vector("new orders 0 10-12", "new orders 1 7-9"))
  }

  test("what the old id never began begins by its rule, also where the new one stood by meanwhile") {
    val begun = Query(skipping.copy(starting = rule("latest"))).sees(both)(mirror(9)).read
    val since = begin.toEpochMilli
    val seen  =
      begun.after(Duration.ofHours(1)).sees(moved, { case Question(_, Timestamp(`since`)) => Some(7L) })(mirror(9))
    assertEquals(seen.ranges, Vector("new orders 0 7-9"))
  }

  test("a partition that nobody led begins by its rule, also where its topic drains") {
    val lax   = skipping.copy(starting = rule("latest"))
    val first = "eu" -> answer("orders" -> has(0 -> 10).of("T1").leaderless(1)).of("K1")
    val begun = Query(lax).sees(old)(first).read
    val since = begin.toEpochMilli
    val seen  = begun.after(Duration.ofHours(1))
      .sees(Topology.empty, { case Question(_, Timestamp(`since`)) => Some(7L) })(one(0 -> 12, 0 -> 9))
    assert(!seen.ranges.contains("eu orders 1 0-9"), seen.ranges)
  }

  test("a topic that is listed while its known cluster is out of reach begins by the rule of that time") {
    val names = listed("eu" -> topics("orders", "refunds").startingAt("""{"refunds":"latest"}"""))
    val begun = Query(skipping).sees(old)(one(0 -> 10)).read.after(Duration.ofMinutes(1))
    val since = begun.now.toEpochMilli
    val away  = begun.sees(names)().read.after(Duration.ofHours(3))
    val shown = "eu" -> answer("orders" -> has(0 -> 10).of("T1"), "refunds" -> has(0 -> 9).of("T8")).of("K1")
    val seen  = away.sees(names, { case Question(_, Timestamp(`since`)) => Some(4L) })(shown)
    assertEquals(seen.ranges, Vector("eu refunds 0 4-9"))
    assertEquals(seen.read.held.clusters(ClusterId("eu")).unread.keySet.toVector, Vector.empty)
  }

  test("a partition that nobody leads when its topic is created again begins at its earliest record, as the others") {
    val named = listed("eu" -> orders.startingAt("""{"orders":{"0":4,"1":5}}"""))
    val begun = Query(skipping.copy(failOnDataLoss = false)).sees(named)(one(0 -> 10, 0 -> 10)).read
    val first = "eu" -> answer("orders" -> only(0 -> (0 -> 3)).of("T2").leaderless(1)).of("K1")
    val again = begun.sees(named)(first)
    assertEquals(again.ranges, Vector("eu orders 0 0-3"))
    val whole = "eu" -> answer("orders" -> has(0 -> 3, 0 -> 9).of("T2")).of("K1")
    assertEquals(again.read.sees(named)(whole).ranges, Vector("eu orders 1 0-9"))
  }

  test("what is paused at its first answer begins by its own first rule, whatever is said of it later") {
    val rests = listed("eu" -> orders.paused)
    val begun = Query(skipping).sees(rests)(one(0 -> 10)).read.after(Duration.ofMinutes(1))
    val later = orders.startingAt("""{"orders":{"0":6}}""")
    val named = begun.sees(listed("eu" -> later.paused))(one(0 -> 10)).read
    assertEquals(named.sees(listed("eu" -> later))(one(0 -> 10)).ranges, Vector("eu orders 0 0-10"))
  }

  test("what the old id never began begins by its rule, also where another one that answered only stood by") {
    val other = "new" -> answer("orders" -> has(0 -> 10).of("T9")).of("K2")
    val begun =
      Query(skipping.copy(starting = rule("""{"": "earliest", "eu": {"orders": {"0": 4}}}"""))).sees(both)(other).read
    val third = listed("third" -> orders.continuing("eu", "new"))
    val seen  = begun.sees(third)("third" -> answer("orders" -> has(0 -> 10).of("T3")).of("K3"))
    assertEquals(seen.ranges, Vector("third orders 0 4-10"))
  }

  test("the same where the old id was paused, and another one that did not answer stood by") {
    val rests = orders.paused
    val begun = Query(skipping.copy(starting = rule("latest"))).sees(listed("eu" -> rests))(one(0 -> 10)).read
    val away  = begun.after(Duration.ofHours(1)).sees(listed("eu" -> rests, "new" -> next))(one(0 -> 12)).read
    val third = listed("third" -> orders.continuing("eu", "new"))
    val since = begin.toEpochMilli
    val seen  = away.sees(third, { case Question(_, Timestamp(`since`)) => Some(7L) })(
      "third" -> answer("orders" -> has(0 -> 12).of("T3")).of("K3")
    )
    assertEquals(seen.ranges, Vector("third orders 0 7-12"))
  }

  test("the same where the first id takes over again from one that could not see it") {
    val begun = Query(skipping.copy(starting = rule("latest"))).sees(old)().read
    val unled = "new" -> answer("orders" -> only().of("T9").leaderless(0)).of("K2")
    val taken = begun.after(Duration.ofHours(1)).sees(moved)(unled).read
    val since = begin.toEpochMilli
    val seen  = taken.sees(old, { case Question(_, Timestamp(`since`)) => Some(7L) })(one(0 -> 12))
    assertEquals(seen.ranges, Vector("eu orders 0 7-12"))
  }

  test("a partition that nobody leads when a topic without an id is created again begins at its earliest record, too") {
    def plain(topic: Present) = "eu" -> answer("orders" -> topic).of("K1")
    val own                   = listed("eu" -> orders.startingAt("""{"orders":{"0":5,"1":7}}"""))
    val begun = Query(skipping.copy(failOnDataLoss = false)).sees(own)(plain(has(0 -> 10, 0 -> 10))).read
    val short = begun.sees(own)(plain(has(0 -> 2).leaderless(1))).read
    val anew  = short.after(policy.agreement).sees(own)(plain(has(0 -> 3).leaderless(1))).read
    assertEquals(anew.sees(own)(plain(has(0 -> 3, 0 -> 9))).ranges, Vector("eu orders 1 0-9"))
  }

  test("a partition that appears while another one could not be seen yet begins at its earliest record") {
    val first = "eu" -> answer("orders" -> has(0 -> 10).of("T1").leaderless(1)).of("K1")
    val begun = Query(skipping.copy(starting = rule("latest"))).sees(old)(first).read
    val wider = "eu" -> answer("orders" -> only(0 -> (0 -> 10), 2 -> (0 -> 9)).of("T1").leaderless(1)).of("K1")
    // Its producers set times from before the query began.
    val since            = begin.toEpochMilli
    val resolve: Resolve = { case Question(id, Timestamp(`since`)) => Option.when(id.partition == 1)(7L) }
    val seen             = begun.sees(old, resolve)(wider)
    assertEquals(seen.ranges, Vector("eu orders 2 0-9"))
    assertEquals(seen.read.sees(old, resolve)(one(0 -> 10, 0 -> 8, 0 -> 9)).ranges, Vector("eu orders 1 7-8"))
  }
}
