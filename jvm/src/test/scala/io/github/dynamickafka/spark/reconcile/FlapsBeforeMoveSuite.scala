package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** The metadata leaves clusters out for a moment, before a log is handed over. */
class FlapsBeforeMoveSuite extends FunSuite with MovingLog {
  private val hours3 = Duration.ofHours(3)
  private val moment = Duration.ofMinutes(1)

  // Another cluster is read all the time.
  private def zHas(end: Int)                         = "z" -> answer("other" -> has(0 -> end).of("O")).of("Z")
  private def beside(some: (String, ListedCluster)*) = listed(some :+ ("z" -> topics("other")): _*)

  for (
    (why, waits, said) <- Seq(
      ("out of reach", next, Vector.empty),
      ("paused", next.paused, Vector(mirror(15, 10))),
      ("behind", next, Vector(mirror(8, 10)))
    )
  ) test(s"a log that is listed again in time under its next id, which is $why, has a retention of its own") {
    val read  = Query(skipping).sees(beside("eu" -> orders))(eu(10, 10), zHas(1)).read
    val off   = read.after(hours3).sees(beside())(eu(10, 10), zHas(2)).read
    val again = off.after(Duration.ofDays(1)).sees(beside("new" -> waits))((said :+ zHas(3)): _*).read
    val still = again.after(Duration.ofDays(30)).sees(beside("new" -> waits))((said :+ zHas(4)): _*).read
    assert(still.held.topic(ClusterId("eu"), "orders").isDefined)
    val flap  = still.after(moment).sees(beside())(zHas(5)).read
    val ended = if (why == "behind") next.startingAt("""{"orders":{"0":10}}""") else next
    val last  = flap.after(moment).sees(beside("new" -> ended))(mirror(15, 10), zHas(5))
    assertEquals(last.ranges, Vector("new orders 0 10-15"))
  }

  test("such a log is not forgotten, though no other batch was recorded for as long as the retention") {
    val read  = Query(skipping).sees(old)(eu(10, 10)).read
    val off   = read.after(hours3).sees(Topology.empty)("eu" -> down).read
    val waits = (0 to 31).foldLeft(off)((at, _) => at.after(Duration.ofDays(1)).sees(moved)("new" -> down).read)
    val flap  = waits.after(moment).sees(Topology.empty)().read
    assertEquals(flap.after(moment).sees(moved)(mirror(15, 10)).ranges, Vector("new orders 0 10-15"))
  }

  private def takesOver(flaps: Topology*): Unit = {
    val stands = Query(skipping).sees(both)(eu(12, 10), mirror(11, 10)).read
    val left   = flaps.foldLeft(stands)((at, flap) => at.after(moment).sees(flap)().read)
    // Its producers have filled it since.
    assertEquals(left.after(moment).sees(moved)(mirror(20, 10)).ranges, Vector.empty)
  }

  test("control: a mirror's last answer before the take-over counts")(takesOver())
  test("it counts though nothing was listed for a moment")(takesOver(Topology.empty))
  test("it counts though the old id alone was listed for a moment")(takesOver(old))
  test("it counts after two such moments")(takesOver(Topology.empty, old))

  test("it counts though another log is read meanwhile, of a topic with the same name") {
    def z(end: Int) = "z" -> answer("orders" -> has(0 -> end).of("O")).of("Z")
    val other       = "z" -> orders
    val stands      =
      Query(skipping).sees(listed("eu" -> orders, "new" -> next, other))(eu(12, 10), mirror(11, 10), z(1)).read
    for (flap <- Seq(listed(other), listed("eu" -> orders, other))) {
      val left = stands.after(moment).sees(flap)(z(2)).read
      assertEquals(left.after(moment).sees(listed("new" -> next, other))(mirror(20, 10), z(2)).ranges, Vector.empty)
    }
  }

  test("it counts no more once the old id was read on without the mirror") {
    val stands = Query(skipping).sees(both)(eu(12, 10), mirror(11, 10)).read
    val alone  = stands.after(moment).sees(old)(eu(14, 10)).read
    assertEquals(alone.after(hours3).sees(moved)(mirror(20, 10)).ranges, Vector("new orders 0 14-20"))
  }

  for ((when, standby) <- Seq("as a standby" -> mirror(12, 10), "when it was read" -> ("new" -> down)))
    test(s"a mirror that was read before is behind by what it last answered $when") {
      val taken = query.after(moment).sees(moved)(mirror(12, 10)).read
      val back  = taken.after(moment).sees(old)(eu(12, 10)).read
      val on    = back.after(moment).sees(both)(eu(14, 10), standby).read
      assertEquals(positions(on.held).head, "eu orders 0 [12,14,2]")
      assertEquals(on.after(moment).sees(moved)(mirror(20, 10)).ranges, Vector.empty)
    }
}
