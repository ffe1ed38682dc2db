package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, TopicObservation}
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Whatever is answered before a topic can begin, and under whatever id: it begins where it did when it was first listed. */
class FirstListingSuite extends FunSuite with MovingLog {
  private val hours3           = Duration.ofHours(3)
  private val agreement        = Duration.ofSeconds(31)
  private val latest           = skipping.copy(starting = rule("latest"))
  private val T0               = begin.toEpochMilli
  private val sinceT0: Resolve = { case Question(_, Timestamp(T0)) => Some(7L) }
  private def hides            = "eu" -> answer("orders" -> hidden).of("K1")
  private def none             = "eu" -> answer("orders" -> absent).of("K1")
  private val us               = topics("refunds")
  private def more(end: Int)   = "us" -> answer("refunds" -> has(0 -> end).of("R")).of("K3")

  test("a topic that was hidden, then did not exist, begins at its earliest record") {
    val begun = Query(latest).sees(old)(hides).read
    val gone  = begun.after(hours3).sees(old)(none).read.after(agreement).sees(old)(none).read
    assertEquals(gone.after(hours3).sees(old, sinceT0)(eu(9, 8)).ranges, Vector("eu orders 0 0-9", "eu orders 1 0-8"))
  }

  test("the same if another cluster's batch is logged meanwhile") {
    val others = listed("eu" -> orders, "us" -> us)
    val begun  = Query(latest).sees(others)(hides, more(1)).read
    val once   = begun.after(hours3).sees(others)(none, more(2)).read
    val gone   = once.after(agreement).sees(others)(none, more(3)).read
    assertEquals(
      gone.after(hours3).sees(others, sinceT0)(eu(9, 8), more(3)).ranges,
      Vector("eu orders 0 0-9", "eu orders 1 0-8")
    )
  }

  test("the same where it is paused") {
    val rests = listed("eu" -> orders.paused)
    val begun = Query(latest).sees(rests)(hides).read
    val gone  = begun.after(hours3).sees(rests)(none).read.after(agreement).sees(rests)(none).read
    assertEquals(gone.after(hours3).sees(old, sinceT0)(eu(9, 8)).ranges, Vector("eu orders 0 0-9", "eu orders 1 0-8"))
  }

  private def afterHidden(answer: (String, ClusterObservation)): Unit = {
    val others = listed("eu" -> orders.startingAt("""{"orders":"latest"}"""), "us" -> us)
    val begun  = Query(latest).sees(others)(hides, more(1)).read
    val flap   = begun.after(hours3).sees(others)(answer, more(2)).read
    val seen   = flap.after(Duration.ofSeconds(1)).sees(others, sinceT0)(eu(9), more(2))
    assertEquals(seen.ranges, Vector("eu orders 0 7-9"))
  }

  test("one answer without the topic does not move where it begins, by its own latest")(afterHidden(none))

  test("control: without that answer")(afterHidden(hides))

  test("one answer without the topic, of a cluster that comes up, does not let the query read all of it") {
    val away = Query(latest).sees(old)().read
    val flap = away.after(hours3).sees(old)(none).read
    assertEquals(flap.after(Duration.ofSeconds(1)).sees(old, sinceT0)(eu(9)).ranges, Vector("eu orders 0 7-9"))
  }

  private def handed(reports: Int*) = {
    val begun = Query(skipping).sees(old)(eu(10, 0)).read
    val full  = begun.sees(old)(eu(10, 5)).readSome(_ => Map.empty) // a limit leaves the 5 records unread
    full.sees(moved)(mirror(reports: _*))
  }
  private def left(reports: Int*) = handed(reports: _*).notices.collect { case one: Notice.LeftBehind => one.records }

  test("what the old id had of a partition that the mirror does not report counts as left behind")(
    assertEquals(left(10), Vector(5L))
  )
  test("control: the mirror reports it, empty")(assertEquals(left(10, 0), Vector(5L)))

  test("what the old id never began begins by the old id's rule, though the new one was listed before it") {
    val alone = listed("new" -> orders.startingAt("""{"orders":"latest"}"""))
    val line  = listed("eu" -> orders, "new" -> orders.startingAt("""{"orders":"latest"}""").continuing("eu"))
    val last  = listed("new" -> orders.startingAt("""{"orders":"latest"}""").continuing("eu"))
    val t0    = Query(skipping).sees(alone)().read
    val t1    = t0.after(hours3).sees(line)().read
    assertEquals(t1.after(hours3).sees(last, sinceT0)(mirror(9)).ranges, Vector("new orders 0 0-9"))
  }

  test(
    "a topic that appears on an id contacted before begins at its earliest, though an earlier id was never reached"
  ) {
    val here  = "us" -> answer("refunds" -> hidden).of("K2")
    val begun = Query(latest).sees(listed("eu" -> orders, "us" -> us))(here).read
    val line  = listed("us" -> topics("refunds", "bills").continuing("eu"))
    val both  = "us" -> answer("refunds" -> hidden, "bills" -> has(0 -> 9).of("B9")).of("K2")
    assertEquals(begun.after(hours3).sees(line, sinceT0)(both).ranges, Vector("us bills 0 0-9"))
  }

  test("latest of a partition that appears on a paused, read topic is when it was seen") {
    val own   = orders.startingAt("""{"orders":"latest"}""")
    val rests = listed("eu" -> own.paused)
    val begun = Query(skipping).sees(listed("eu" -> own))(eu(10)).read
    val seen  = begun.sees(rests)(eu(10, 0)).read
    assertEquals(
      seen.after(hours3).sees(listed("eu" -> own), { case Question(_, Timestamp(_)) => Some(0L) })(eu(10, 9)).ranges,
      Vector("eu orders 1 0-9")
    )
  }

  test("a partition that the old id did not have begins at its earliest record on the mirror") {
    val line  = listed("new" -> next.startingAt("""{"orders":"latest"}"""))
    val begun = Query(skipping).sees(old)(eu(10)).read
    assertEquals(begun.sees(line)(mirror(10, 5)).ranges, Vector("new orders 1 0-5"))
  }

  test("a partition that the new id waits for on its own keeps its rule when it takes over") {
    val own   = orders.startingAt("""{"orders":"latest"}""")
    val unled = "new" -> answer("orders" -> has(0 -> 10).of("T9").leaderless(1)).of("K2")
    val begun = Query(skipping).sees(listed("eu" -> orders, "new" -> own))(eu(10), unled).read
    val line  = begun.sees(listed("eu" -> orders, "new" -> own.continuing("eu")))(eu(10), unled).read
    val seen  = line.after(hours3).sees(listed("new" -> own.continuing("eu")), sinceT0)(mirror(10, 9))
    assertEquals(seen.ranges, Vector("new orders 1 7-9"))
  }

  test("control: it is not paused") {
    val own   = listed("eu" -> orders.startingAt("""{"orders":"latest"}"""))
    val begun = Query(skipping).sees(own)(eu(10)).read
    val seen  = begun.sees(own)(eu(10, 0)).read
    assertEquals(seen.after(hours3).sees(own)(eu(10, 9)).ranges, Vector("eu orders 1 0-9"))
  }

  test("control: without the line") {
    val own   = orders.startingAt("""{"orders":"latest"}""")
    val unled = "new" -> answer("orders" -> has(0 -> 10).of("T9").leaderless(1)).of("K2")
    val begun = Query(skipping).sees(listed("eu" -> orders, "new" -> own))(eu(10), unled).read
    val seen  = begun.after(hours3).sees(listed("new" -> own), sinceT0)(eu(10), mirror(10, 9))
    assertEquals(seen.ranges, Vector("new orders 1 7-9"))
  }

  test("the same where the line and the removal come at once") {
    val own   = orders.startingAt("""{"orders":"latest"}""")
    val unled = "new" -> answer("orders" -> has(0 -> 10).of("T9").leaderless(1)).of("K2")
    val begun = Query(skipping).sees(listed("eu" -> orders, "new" -> own))(eu(10), unled).read
    val seen  = begun.after(hours3).sees(listed("new" -> own.continuing("eu")), sinceT0)(mirror(10, 9))
    assertEquals(seen.ranges, Vector("new orders 1 7-9"))
  }

  test("by no rule of its own, such a partition begins at its earliest record") {
    val unled = "new" -> answer("orders" -> has(0 -> 10).of("T9").leaderless(1)).of("K2")
    val begun = Query(skipping).sees(listed("eu" -> orders, "new" -> orders))(eu(10), unled).read
    val line  = begun.sees(listed("eu" -> orders, "new" -> next))(eu(10), unled).read
    val seen  = line.after(hours3).sees(moved, sinceT0)(mirror(10, 9))
    assertEquals(seen.ranges, Vector("new orders 1 0-9"))
  }

  private def returns(first: TopicObservation) = {
    val own            = topics("orders").startingAt("""{"orders":"latest"}""").continuing("eu")
    val other          = topics("other")
    def here(end: Int) = "eu" -> answer("other" -> has(0 -> end).of("O")).of("K1")
    val begun          = Query(skipping).sees(listed("eu" -> topics("orders", "other")))(
      "eu" -> answer("orders" -> first, "other" -> has(0 -> 1).of("O")).of("K1")
    ).read
    val on   = begun.sees(listed("eu" -> other, "new" -> own))(here(2), mirror(10, 9)).read
    val off  = on.sees(listed("eu" -> other, "new" -> topics()))(here(3), mirror(10, 9)).read
    val late =
      off.after(Duration.ofDays(31)).sees(listed("eu" -> other, "new" -> topics()))(here(4), mirror(10, 9)).read
    assertEquals(late.held.clusters.get(ClusterId("new")).exists(_.topics.nonEmpty), false)
    val again = late.sees(listed("eu" -> other, "new" -> own))(here(5)).read
    val since = again.now.toEpochMilli
    again.after(hours3).sees(listed("eu" -> other, "new" -> own), { case Question(_, Timestamp(`since`)) => Some(4L) })(
      here(5),
      mirror(10, 9)
    ).ranges
  }
  test("a topic that returns after its retention begins as of its new listing")(
    assertEquals(returns(has(0 -> 10).of("T1").leaderless(1)), Vector("new orders 0 4-10", "new orders 1 4-9"))
  )
  test("control: all partitions were led at first")(
    assertEquals(returns(has(0 -> 10, 0 -> 9).of("T1")), Vector("new orders 0 4-10", "new orders 1 4-9"))
  )

  test("one answer without the topic moves nothing where the id stands by during that one answer") {
    val own    = orders.startingAt("""{"orders":"latest"}""")
    val apart  = listed("eu" -> orders, "new" -> own)
    val line   = listed("eu" -> orders, "new" -> own.continuing("eu"))
    val hidesN = "new" -> answer("orders" -> hidden).of("K2")
    val goneN  = "new" -> answer("orders" -> absent).of("K2")
    val begun  = Query(skipping).sees(apart)(eu(10), hidesN).read
    val flap   = begun.sees(line)(eu(12), goneN).read
    val seen   = flap.after(hours3).sees(apart, sinceT0)(eu(12), mirror(9))
    assertEquals(seen.ranges, Vector("new orders 0 7-9"))
  }
}
