package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.offsets.OffsetPoint.{Committed, Timestamp}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** Where a topic or partition begins that could not be seen when it was listed first. */
class UnseenStartSuite extends FunSuite with MovingLog {
  private def one(extents: (Int, Int)*) = "eu" -> answer("orders" -> has(extents: _*).of("T1")).of("K1")
  private val unled                     = "eu" -> answer("orders" -> has(0 -> 10).of("T1").leaderless(1)).of("K1")
  private val latest                    = Query(skipping.copy(starting = rule("latest")))

  // Where the records begin that came after the query had begun.
  private val since            = begin.toEpochMilli
  private val seventh: Resolve = { case Question(_, Timestamp(`since`)) => Some(7L) }

  test("the rule of a topic that could not be seen outlives a batch while neither id of its log answers") {
    val names = topics("orders", "refunds")
    val hides = "eu" -> answer("orders" -> has(0 -> 10).of("T1"), "refunds" -> hidden).of("K1")
    val other = "us" -> answer("orders" -> has(0 -> 10).of("T3")).of("K3")
    val more  = "us" -> answer("orders" -> has(0 -> 12).of("T3")).of("K3")
    val begun = latest.sees(listed("eu" -> names, "us" -> orders))(hides, other).read
    assert(begun.held.clusters(ClusterId("eu")).pendingTopics.contains("refunds"))
    val after  = listed("new" -> names.continuing("eu"), "us" -> orders)
    val silent = begun.after(Duration.ofHours(1)).sees(after)(more).read
    val shown  = "new" -> answer("orders" -> has(0 -> 10).of("T9"), "refunds" -> has(0 -> 9).of("T8")).of("K2")
    val seen   = silent.sees(after, seventh)(shown, more)
    assertEquals(seen.ranges.filter(_.contains("refunds")), Vector("new refunds 0 7-9"))
  }

  test("the same where the topic is taken off for one batch") {
    val names        = topics("orders", "refunds")
    def eu(end: Int) = "eu" -> answer("orders" -> has(0 -> end).of("T1"), "refunds" -> hidden).of("K1")
    val begun        = latest.sees(listed("eu" -> names))(eu(10)).read
    val off          = begun.after(Duration.ofHours(1)).sees(listed("eu" -> orders))(eu(12)).read
    val shown        = "eu" -> answer("orders" -> has(0 -> 12).of("T1"), "refunds" -> has(0 -> 9).of("T8")).of("K1")
    val seen         = off.sees(listed("eu" -> names), seventh)(shown)
    assertEquals(seen.ranges.filter(_.contains("refunds")), Vector("eu refunds 0 7-9"))
  }

  test("a partition that nobody led begins by the old id's rule where its topic is handed over") {
    val seen = latest.sees(old)(unled).read.after(Duration.ofHours(1)).sees(moved, seventh)(mirror(12, 9))
    assertEquals(seen.ranges, Vector("new orders 0 10-12", "new orders 1 7-9"))
  }

  test("what the old id never began begins by its rule, also where the new one stood by meanwhile") {
    val seen = latest.sees(both)(mirror(9)).read.after(Duration.ofHours(1)).sees(moved, seventh)(mirror(9))
    assertEquals(seen.ranges, Vector("new orders 0 7-9"))
  }

  test("a partition that nobody led begins by its rule, also where its topic drains") {
    val begun = latest.sees(old)(unled).read
    val seen  = begun.after(Duration.ofHours(1)).sees(Topology.empty, seventh)(one(0 -> 12, 0 -> 9))
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
    assertEquals(seen.read.held.clusters(ClusterId("eu")).pendingTopics.keySet.toVector, Vector.empty)
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
    val begun = latest.sees(listed("eu" -> rests))(one(0 -> 10)).read
    val away  = begun.after(Duration.ofHours(1)).sees(listed("eu" -> rests, "new" -> next))(one(0 -> 12)).read
    val third = listed("third" -> orders.continuing("eu", "new"))
    val seen  = away.sees(third, seventh)("third" -> answer("orders" -> has(0 -> 12).of("T3")).of("K3"))
    assertEquals(seen.ranges, Vector("third orders 0 7-12"))
  }

  test("the same where the first id takes over again from one that could not see it") {
    val begun = latest.sees(old)().read
    val first = "new" -> answer("orders" -> only().of("T9").leaderless(0)).of("K2")
    val taken = begun.after(Duration.ofHours(1)).sees(moved)(first).read
    val seen  = taken.sees(old, seventh)(one(0 -> 12))
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
    val begun = latest.sees(old)(unled).read
    val wider = "eu" -> answer("orders" -> only(0 -> (0 -> 10), 2 -> (0 -> 9)).of("T1").leaderless(1)).of("K1")
    // Its producers set times from before the query began.
    val resolve: Resolve = { case Question(id, Timestamp(`since`)) => Option.when(id.partition == 1)(7L) }
    val seen             = begun.sees(old, resolve)(wider)
    assertEquals(seen.ranges, Vector("eu orders 2 0-9"))
    assertEquals(seen.read.sees(old, resolve)(one(0 -> 10, 0 -> 8, 0 -> 9)).ranges, Vector("eu orders 1 7-8"))
  }

  // A rule that was kept for what could not be seen counts for nothing else.

  test("a partition that appears after a rename begins at earliest, whatever was unled at first") {
    val lax            = skipping.copy(starting = rule("""{"committed": "jobs", "otherwise": "earliest"}"""))
    val group: Resolve = { case Question(_, Committed("jobs", _)) => Some(5L) }
    def here(extents: (Int, Int)*) = "new" -> answer("orders" -> has(extents: _*).of("T1")).of("K1")
    val named = Query(lax).sees(old, group)(unled).read.sees(moved, group)(here(0 -> 12, 0 -> 9)).read
    assertEquals(named.held.get(partition("new", "orders", 1)).map(_.start), Some(5L))
    val later = named.after(Duration.ofHours(1)).sees(moved, group)(here(0 -> 12, 0 -> 9)).read
    val added = later.after(Duration.ofDays(1)).sees(moved, group)(here(0 -> 12, 0 -> 9, 0 -> 8))
    assertEquals(added.ranges, Vector("new orders 2 0-8"))
  }

  test("a position that was begun beyond the end while draining is no loss when it is listed again") {
    val at              = listed("eu" -> orders.startingAt("""{"orders": {"1": 500}}"""))
    def all(epoch: Int) = {
      val extents = Map(0 -> Extent(0, 10, 10, Some(epoch)), 1 -> Extent(0, 100, 100, Some(epoch)))
      "eu" -> answer("orders" -> Present(Some("T1"), extents)).of("K1")
    }
    val gone             = Query(skipping).sees(at)(unled).read.sees(Topology.empty)(all(5)).read
    val resolve: Resolve = { case Question(_, LogAgreement(to, 5, _)) => Some(to.min(100L)) }
    gone.sees(at, resolve)(all(6)).step: Unit
  }

  // What is kept of a topic for a while, and would count for too long or for too short a time.

  test("a topic created again while it was off the list begins at its earliest record, also where it was never led") {
    val exact = skipping.copy(starting = rule("""{"eu": {"orders": {"0": 5, "1": 1000}}, "*": "earliest"}"""))
    val empty = listed("eu" -> topics())
    val off   = Query(exact).sees(old)(unled).read.sees(empty)(unled).read
    val again = "eu" -> answer("orders" -> has(0 -> 3, 0 -> 4).of("T2")).of("K1")
    val gone  = off.sees(empty)(again).read
    assertEquals(gone.sees(old)(again).ranges, Vector("eu orders 0 0-3", "eu orders 1 0-4"))
  }

  test(
    "positions of what was listed again, and could not be reached since, are kept when it is not listed for a moment"
  ) {
    val apart = listed("eu" -> orders, "new" -> orders)
    val read  = Query(skipping).sees(apart)(eu(12), mirror(11)).read
    val off   = read.sees(old)(eu(12), mirror(11)).read.after(Duration.ofDays(20))
    val again = off.sees(apart)(eu(12)).read.after(Duration.ofDays(15))
    val later = again.sees(Topology.empty)(eu(12)).read
    assertEquals(later.sees(apart)(eu(12), mirror(14)).ranges, Vector("new orders 0 11-14"))
  }

  // Ids that `continues` names, and that have read nothing of the log so far. Listed alone later, each goes on with it.

  private val bills = topics("bills")
  private val third = listed("third" -> topics("orders", "bills"))

  private def other(ends: Int*) =
    "third" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T3"), "bills" -> has(0 -> 1).of("B3")).of("K3")

  test("an id first met in the step in which the log begins") {
    val names = listed("third" -> bills, "new" -> orders.continuing("third"))
    val begun = Query(fromEarliest).sees(names)(other(12, 12), mirror(10, 10)).read
    val newer = "newer" -> answer("orders" -> has(0 -> 12, 0 -> 12).of("T7")).of("K4")
    val later = begun.sees(listed("newer" -> orders.continuing("new")))(newer).read
    assertEquals(later.sees(third)(other(14, 12)).ranges, Vector("third orders 0 12-14"))
  }

  test("an id first met in the step in which the log moves") {
    val moves = listed("third" -> bills, "new" -> orders.continuing("eu", "third"))
    val after = query.sees(moves)(other(12, 12), mirror(12, 12)).read
    assertEquals(after.sees(third)(other(14, 12)).ranges, Vector("third orders 0 12-14"))
  }

  test("an id that the query never knew means nothing, now and later") {
    val after = query.sees(listed("new" -> orders.continuing("eu", "third")))(mirror(12, 12)).read
    assertEquals(
      after.sees(listed("third" -> orders, "new" -> orders.continuing("eu")))(other(14, 12), mirror(12, 12)).ranges,
      Vector("third orders 0 0-14", "third orders 1 0-12")
    )
  }
}
