package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** The rule of what was listed and never reached outlives whatever else is known of its cluster and of the ids that it
  * continues.
  */
class PendingRuleSuite extends FunSuite with MovingLog {
  private val hours3 = Duration.ofHours(3)

  // 1: the new id's own cluster-wide pending rule.
  test("a topic of a new id's own, which continues a known id, begins as of its first listing: nothing is lost") {
    val bills = topics("orders", "bills").continuing("eu").startingAt("""{"bills":"latest"}""")
    val names = listed("eu" -> orders, "new" -> bills)
    val read  = Query(skipping).sees(old)(eu(10, 10)).read.after(Duration.ofMinutes(1))
    val since = read.now.toEpochMilli
    val away  = read.sees(names)(eu(10, 10)).read
    val here  =
      "new" -> answer("orders" -> has(0 -> 10, 0 -> 10).of("T9"), "bills" -> has(0 -> 9).of("B9")).of("K2")
    val seen = away.after(hours3).sees(names, { case Question(_, Timestamp(`since`)) => Some(4L) })(eu(10, 10), here)
    assertEquals(seen.ranges, Vector("new bills 0 4-9"))
  }

  // 2: the old id's pending rule, where the new one is known by another topic.
  test("what the old id never began begins by its rule, also where the new one reads something else") {
    val since            = begin.toEpochMilli
    val seventh: Resolve = { case Question(_, Timestamp(`since`)) => Some(7L) }
    val us               = "us" -> answer("refunds" -> has(0 -> 5).of("T2")).of("K2")
    val apart            = listed("eu" -> orders, "us" -> topics("refunds"))
    val begun            = Query(skipping.copy(starting = rule("latest"))).sees(apart)(us).read
    val moved            = listed("us" -> topics("orders", "refunds").continuing("eu"))
    val both             = "us" -> answer("refunds" -> has(0 -> 5).of("T2"), "orders" -> has(0 -> 9).of("T9")).of("K2")
    val seen             = begun.after(hours3).sees(moved, seventh)(both)
    assertEquals(seen.ranges, Vector("us orders 0 7-9"))
  }

  // The same, and a topic that no id ever listed before.
  test("a topic that appears on a known id begins at its earliest record, though an earlier id was never reached") {
    val us    = "us" -> answer("refunds" -> has(0 -> 5).of("T2")).of("K2")
    val begun =
      Query(skipping.copy(starting = rule("latest"))).sees(listed("eu" -> orders, "us" -> topics("refunds")))(us)
        .read
    val moved = listed("us" -> topics("refunds", "bills").continuing("eu"))
    val both  = "us" -> answer("refunds" -> has(0 -> 5).of("T2"), "bills" -> has(0 -> 9).of("B9")).of("K2")
    assertEquals(begun.after(hours3).sees(moved)(both).ranges, Vector("us bills 0 0-9"))
  }

  test("a topic that could not be seen begins by its first rule, whatever is said of it later") {
    val begun = Query(skipping.copy(starting = rule("earliest"))).sees(old)("eu" -> answer("orders" -> hidden).of("K1"))
    assertEquals(begun.read.sees(listed("eu" -> latestOrders))(eu(9)).ranges, Vector("eu orders 0 0-9"))
  }

  // Filled with old records, say.
  test("a topic that does not exist when its cluster is first reached begins at its earliest record, once it does") {
    val away = Query(skipping.copy(starting = rule("latest"))).sees(old)().read
    def none = "eu" -> answer("orders" -> absent).of("K1")
    val gone = away.after(hours3).sees(old)(none).read.after(Duration.ofSeconds(31)).sees(old)(none).read
    assertEquals(gone.sees(old)(eu(9, 8)).ranges, Vector("eu orders 0 0-9", "eu orders 1 0-8"))
  }

  // 3: the rule of one of two old ids.
  test("what a second id never began begins by its rule on the third one") {
    val read  = Query(skipping).sees(old)(eu(10, 10)).read.after(Duration.ofMinutes(1))
    val since = read.now.toEpochMilli
    val two   = topics("orders", "bills").continuing("eu").startingAt("""{"bills":"latest"}""")
    val away  = read.sees(listed("eu" -> orders, "new" -> two))(eu(10, 10)).read
    val last  = topics("orders", "bills").continuing("eu", "new")
    val here  =
      "newer" -> answer("orders" -> has(0 -> 10, 0 -> 10).of("T9"), "bills" -> has(0 -> 9).of("B9")).of("K2")
    val seen = away.after(hours3).sees(
      listed("newer" -> last),
      { case Question(_, Timestamp(`since`)) => Some(4L) }
    )(here)
    assertEquals(seen.ranges, Vector("newer bills 0 4-9"))
  }

  private val latestOrders = orders.startingAt("""{"orders":"latest"}""")
  private val apart        = listed("eu" -> orders, "new" -> latestOrders)
  private val joined       = listed("eu" -> orders, "new" -> latestOrders.continuing("eu"))
  private def unledNew     = "new" -> answer("orders" -> has(0 -> 10).of("T9").leaderless(1)).of("K2")

  // A mistaken line makes `new` stand by for a while.
  private def mistaken(before: (String, ClusterObservation)*)(during: (String, ClusterObservation)): Unit = {
    val since   = begin.toEpochMilli
    val begun   = Query(skipping).sees(apart)(eu(10, 10) +: before: _*).read
    val mistake = begun.after(Duration.ofMinutes(1)).sees(joined)(eu(12, 10), during).read
    val seen    = mistake.after(hours3).sees(apart, { case Question(_, Timestamp(`since`)) => Some(4L) })(
      eu(12, 10),
      mirror(10, 9)
    )
    assertEquals(seen.ranges, Vector("new orders 0 4-10", "new orders 1 4-9"))
  }

  private def hidesNew = "new" -> answer("orders" -> hidden).of("K2")

  // 5: a whole cluster.
  test("a cluster that was never reached keeps its rule while it stands by")(mistaken()(mirror(10, 9)))

  // 6: a topic.
  test("a topic that could not be seen keeps its rule while it stands by")(mistaken(hidesNew)(hidesNew))

  // 7: a partition that nobody led, where the topic of a broker without topic ids returns with a shorter log.
  test("a partition that could not be seen keeps its rule while a returned topic is doubtful") {
    val since           = begin.toEpochMilli
    def plain(end: Int) = "eu" -> answer("orders" -> has(0 -> end).leaderless(1)).of("K1")
    def whole(end: Int) = "eu" -> answer("orders" -> has(0 -> end, 0 -> 9)).of("K1")
    val own             = orders.startingAt("""{"orders":"latest"}""")
    val us              = topics("refunds")
    def more(end: Int)  = "us" -> answer("refunds" -> has(0 -> end).of("R")).of("K3")
    val on              = listed("eu" -> own, "us" -> us)
    val off             = listed("us" -> us)
    val begun           = Query(skipping).sees(on)(plain(10), more(1)).read
    val grown           = begun.sees(on)(plain(20), more(2)).read
    val gone            = grown.after(Duration.ofMinutes(1)).sees(off)(plain(20), more(3)).read
    val short           = gone.after(Duration.ofMinutes(1)).sees(on)(plain(15), more(4)).read
    val again           = short.after(Duration.ofSeconds(31)).sees(on)(plain(21), more(4)).read
    val seen = again.after(hours3).sees(on, { case Question(_, Timestamp(`since`)) => Some(4L) })(whole(21), more(4))
    assertEquals(seen.ranges.filter(_.contains(" 1 ")), Vector("eu orders 1 4-9"))
  }

  private def only1(extents: (Int, (Int, Int))*) = only(extents: _*).of("T1")
  private val two = "eu" -> answer("orders" -> only1(0 -> (0 -> 10)).leaderless(1, 2)).of("K1")

  // 9: a partition that appears without a leader while another one waits for its own.
  test("a partition that appeared without a leader drains, though the first answer after the removal leaves it out") {
    val unled = "eu" -> answer("orders" -> only1(0 -> (0 -> 10)).leaderless(1)).of("K1")
    val begun = Query(skipping).sees(old)(unled).read.sees(old)(two).read
    val more  = begun.sees(old)("eu" -> answer("orders" -> only1(0 -> (0 -> 11)).leaderless(1, 2)).of("K1")).read
    val less  = more.sees(listed("eu" -> topics()))(eu(12, 9)).read
    val seen  = less.sees(listed("eu" -> topics()))(eu(12, 9, 8))
    assertEquals(seen.ranges, Vector("eu orders 2 0-8"))
  }

  test("9 control: the same with one partition that waits") {
    val begun = Query(skipping).sees(old)(eu(10, 9)).read
    val more  =
      begun.sees(old)("eu" -> answer("orders" -> only1(0 -> (0 -> 11), 1 -> (0 -> 9)).leaderless(2)).of("K1")).read
    val less = more.sees(listed("eu" -> topics()))(eu(12, 9)).read
    val seen = less.sees(listed("eu" -> topics()))(eu(12, 9, 8))
    assertEquals(seen.ranges, Vector("eu orders 2 0-8"))
  }

  // 10: likewise, and its cluster is taken to be read to its end.
  test("a cluster is not over while a partition that appeared without a leader is left out of an answer") {
    val ended            = listed("eu" -> orders.endingAt("""{"timestamp": 900}"""), "us" -> topics("refunds"))
    val resolve: Resolve = { case Question(id, Timestamp(900)) => Some(4L + id.partition) }
    def us(end: Int)     = "us" -> answer("refunds" -> has(0 -> end).of("R")).of("K3")
    val unled            = "eu" -> answer("orders" -> only1(0 -> (0 -> 10)).leaderless(1)).of("K1")
    val begun            = Query(skipping).sees(ended, resolve)(unled, us(1)).read.sees(ended, resolve)(two, us(2)).read
    val less             = begun.sees(ended, resolve)(eu(12, 9), us(3)).read
    val later            = less.sees(ended, resolve)(eu(12, 9), us(4)).read
    assert(new OffsetQuestions(StepBasis(later.held, ended), skipping).topics.contains(ClusterId("eu")))
    assertEquals(later.sees(ended, resolve)(eu(12, 9, 8), us(4)).ranges, Vector("eu orders 2 0-6"))
  }

  // 11: a topic that is created again, and removed before a partition of it is led.
  test(
    "a partition of a topic that was created again drains, though the first answer after the removal leaves it out"
  ) {
    def one(end: Int) = "eu" -> answer("orders" -> only(0 -> (0 -> end)).of("T2")).of("K1")
    val lax           = skipping.copy(failOnDataLoss = false)
    val begun         = Query(lax).sees(old)(eu(10, 10)).read
    val again = begun.sees(old)("eu" -> answer("orders" -> only(0 -> (0 -> 3)).of("T2").leaderless(1)).of("K1")).read
    val less  = again.sees(listed("eu" -> topics()))(one(4)).read
    val seen  = less.sees(listed("eu" -> topics()))("eu" -> answer("orders" -> has(0 -> 4, 0 -> 9).of("T2")).of("K1"))
    assertEquals(seen.ranges, Vector("eu orders 1 0-9"))
  }

  // 12: an empty partition that is held, and that the mirror does not report yet.
  test("an empty partition that the old id had goes on at its position, though the mirror reports it later") {
    val latest = listed("new" -> next.startingAt("""{"orders":"latest"}"""))
    val begun  = Query(fromEarliest).sees(old)(eu(10, 0)).read
    val moved  = begun.sees(latest)(mirror(12)).read
    val seen   = moved.sees(latest)(mirror(12, 7))
    assertEquals(seen.ranges, Vector("new orders 1 0-7"))
  }

  // 13: the narrowed rule of a paused topic is not recorded unless something else is.
  private val rests = listed("eu" -> orders.paused)
  private def hides = "eu" -> answer("orders" -> hidden).of("K1")

  private def appears(between: Query => Query) = {
    val since            = begin.toEpochMilli
    val seventh: Resolve = { case Question(_, Timestamp(`since`)) => Some(7L) }
    val begun            = between(Query(skipping.copy(starting = rule("latest"))).sees(rests)(hides).read)
    // Partition 1 is new. Its producers set times from before the query began.
    begun.after(Duration.ofDays(9)).sees(old, seventh)(eu(12, 9)).ranges
  }

  test("a partition that appears on a paused topic, once that could be seen, begins at its earliest record") {
    assertEquals(appears(_.sees(rests)(eu(10)).read), Vector("eu orders 0 7-12", "eu orders 1 0-9"))
  }

  test("13 control: the same if another cluster's batch is logged meanwhile") {
    val others = listed("eu" -> orders.paused, "us" -> topics("refunds"))
    def us     = "us" -> answer("refunds" -> has(0 -> 3).of("R")).of("K3")
    assertEquals(
      appears(_.sees(others)(eu(10), us).read).filter(_.startsWith("eu")),
      Vector("eu orders 0 7-12", "eu orders 1 0-9")
    )
  }

  // Controls: each story without its twist.

  test("1 control: without continues") {
    val bills = topics("bills").startingAt("""{"bills":"latest"}""")
    val names = listed("eu" -> orders, "new" -> bills)
    val read  = Query(skipping).sees(old)(eu(10, 10)).read.after(Duration.ofMinutes(1))
    val since = read.now.toEpochMilli
    val away  = read.sees(names)(eu(10, 10)).read
    val here  = "new" -> answer("bills" -> has(0 -> 9).of("B9")).of("K2")
    val seen  = away.after(hours3).sees(names, { case Question(_, Timestamp(`since`)) => Some(4L) })(eu(10, 10), here)
    assertEquals(seen.ranges, Vector("new bills 0 4-9"))
  }

  test("2 control: the new id reads nothing else") {
    val since            = begin.toEpochMilli
    val seventh: Resolve = { case Question(_, Timestamp(`since`)) => Some(7L) }
    val begun            = Query(skipping.copy(starting = rule("latest"))).sees(old)().read
    val moves            = listed("us" -> topics("orders", "refunds").continuing("eu"))
    val both             = "us" -> answer("refunds" -> has(0 -> 5).of("T2"), "orders" -> has(0 -> 9).of("T9")).of("K2")
    val seen             = begun.after(hours3).sees(moves, seventh)(both)
    assertEquals(seen.ranges.filter(_.contains("orders")), Vector("us orders 0 7-9"))
  }

  test("4 and 5 control: without the mistaken line") {
    val since      = begin.toEpochMilli
    val r: Resolve = { case Question(_, Timestamp(`since`)) => Some(4L) }
    val unled      = Query(skipping).sees(apart)(eu(10, 10), unledNew).read
    val seen4      = unled.after(hours3).sees(apart, r)(eu(10, 10), mirror(10, 9))
    assertEquals(seen4.ranges, Vector("new orders 1 4-9"))
    val away  = Query(skipping).sees(apart)(eu(10, 10)).read
    val seen5 = away.after(hours3).sees(apart, r)(eu(12, 10), mirror(10, 9))
    assertEquals(seen5.ranges.filter(_.startsWith("new")), Vector("new orders 0 4-10", "new orders 1 4-9"))
  }

  test("10 control: the partition is reported all the time") {
    val ended            = listed("eu" -> orders.endingAt("""{"timestamp": 900}"""), "us" -> topics("refunds"))
    val resolve: Resolve = { case Question(id, Timestamp(900)) => Some(4L + id.partition) }
    def us(end: Int)     = "us" -> answer("refunds" -> has(0 -> end).of("R")).of("K3")
    val still            = "eu" -> answer("orders" -> only1(0 -> (0 -> 12), 1 -> (0 -> 9)).leaderless(2)).of("K1")
    val begun            = Query(skipping).sees(ended, resolve)(two, us(2)).read
    val later            = begun.sees(ended, resolve)(still, us(3)).read.sees(ended, resolve)(still, us(4)).read
    assertEquals(later.sees(ended, resolve)(eu(12, 9, 8), us(4)).ranges, Vector("eu orders 2 0-6"))
  }

  test("12 control: without startingOffsets of the topic") {
    val begun = Query(fromEarliest).sees(old)(eu(10, 0)).read
    assertEquals(begun.sees(moved)(mirror(12)).read.sees(moved)(mirror(12, 7)).ranges, Vector("new orders 1 0-7"))
  }

  test("12 control: the mirror reports the partition at once") {
    val latest = listed("new" -> next.startingAt("""{"orders":"latest"}"""))
    val begun  = Query(fromEarliest).sees(old)(eu(10, 0)).read
    assertEquals(begun.sees(latest)(mirror(12, 0)).read.sees(latest)(mirror(12, 7)).ranges, Vector("new orders 1 0-7"))
  }
}
