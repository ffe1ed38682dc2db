package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** Lines that were wrong, and were taken back. */
class GoneIdSuite extends FunSuite with MovingLog {
  private val apart = listed("eu" -> orders, "new" -> orders)
  private val alone = listed("new" -> orders)

  private def us(ends: Int*): (String, ClusterObservation) =
    "us" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T5")).of("K5")

  for ((first, second) <- Seq("new" -> "us", "us" -> "new")) {
    def lines(of: String*): Topology = listed(Seq("new", "us").map { id =>
      id -> (if (of.contains(id)) orders.continuing("gone") else orders)
    }: _*)
    val begun = Query(fromEarliest).sees(lines())(mirror(10), us(10)).read
    val wrong = begun.sees(lines(first))(mirror(10), us(10)).read
    val right = wrong.sees(lines(second))(mirror(12), us(12))

    test(s"a line stood in the entry of $first and moves to that of $second: both are read on") {
      assertEquals(right.ranges, Vector("new orders 0 10-12", "us orders 0 10-12"))
    }

    test(s"it stood in the entry of $first, then of $second, and is taken off: both are read on") {
      val none = right.read.sees(lines())(mirror(14), us(14)).read
      assertEquals(ranges(right.query.held, none.held), Vector("new orders 0 10-14", "us orders 0 10-14"))
    }
  }

  test("control: the line stands in the entry of one alone") {
    val begun = Query(fromEarliest).sees(listed("new" -> orders, "us" -> orders))(mirror(10), us(10)).read
    val wrong = begun.sees(listed("new" -> orders.continuing("gone"), "us" -> orders))(mirror(12), us(12))
    assertEquals(wrong.ranges, Vector("new orders 0 10-12", "us orders 0 10-12"))
  }

  private val begun = Query(fromEarliest).sees(moved)(mirror(10)).read

  private def pausedBeside =
    begun.sees(listed("eu" -> orders, "new" -> orders.paused))(eu(5), mirror(20))

  test("listed apart while the newer one is paused: taken off, it drains") {
    val rests = pausedBeside
    assertEquals(rests.ranges, Vector("eu orders 0 0-5"))
    assertEquals(rests.read.sees(old)(eu(5), mirror(20)).ranges, Vector("new orders 0 10-20"))
  }

  test("listed apart while the newer one is down: taken off, it drains") {
    val lenient = begun.under(_ => skipping)
    val down    = lenient.sees(apart)(eu(5))
    assertEquals(down.ranges, Vector("eu orders 0 0-5"))
    assertEquals(down.read.sees(old)(eu(5), mirror(20)).ranges, Vector("new orders 0 10-20"))
  }

  test("listed apart while the newer one is paused: the older one, taken off, drains") {
    val rests = pausedBeside.readSome(_.map { case (id, _) => id -> 3L })
    assertEquals(rests.sees(listed("new" -> orders.paused))(eu(5), mirror(20)).ranges, Vector("eu orders 0 3-5"))
  }

  test("a wrong line is taken back before the other one is listed: it is another log") {
    val wrong = Query(fromEarliest).sees(alone)(mirror(10)).read.sees(moved)(mirror(10)).read
    val right = wrong.sees(alone)(mirror(10)).read
    assertEquals(right.sees(old)(eu(15), mirror(12)).ranges, Vector("eu orders 0 0-15", "new orders 0 10-12"))
  }

  test("a wrong line names another id and is put right: the wrong one is another log") {
    val wrong = Query(fromEarliest).sees(alone)(mirror(10)).read.sees(moved)(mirror(10)).read
    val right = wrong.sees(listed("new" -> orders.continuing("us")))(mirror(10)).read
    assertEquals(right.sees(old)(eu(15), mirror(12)).ranges, Vector("eu orders 0 0-15", "new orders 0 10-12"))
  }

  // The old one was taken off, and is listed again with a wrong line in the entry of the other one.
  private val standing = Query(fromEarliest).sees(apart)(eu(10), mirror(10)).read
    .sees(alone)(eu(10), mirror(10)).read.sees(both)(eu(12), mirror(12)).read

  for ((how, off) <- Seq("alone" -> both, "with the old one" -> alone))
    test(s"a line that has joined two that were read is for good, also if it is taken back $how") {
      val there = standing.sees(off)(eu(13), mirror(13)).read
      assertEquals(there.sees(apart)(eu(14), mirror(14)).ranges, Vector("new orders 0 13-14"))
      assertEquals(there.sees(old)(eu(14), mirror(14)).ranges, Vector("eu orders 0 13-14"))
    }

  // Flaps and fail-backs need no line of their own.
  test("control: a mirror stands alone without the line for a moment; the old one, listed alone, continues") {
    val stood = begun.sees(both)(eu(12), mirror(12)).read
    val flaps = stood.sees(alone)(mirror(14)).read
    assertEquals(flaps.sees(old)(eu(16)).ranges, Vector("eu orders 0 14-16"))
  }

  // The old id is listed beside it for the fail-back, with the line. What the newer one does meanwhile:
  for (
    (how, beside, said) <- Seq(
      ("answers", both, Vector(eu(14), mirror(14))),
      ("is down", both, Vector(eu(14))),
      ("is paused", listed("eu" -> orders, "new" -> next.paused), Vector(eu(14), mirror(14)))
    )
  ) test(s"the line comes for a fail-back while the newer one $how: the old one continues at the position") {
    val stood = Query(skipping).sees(alone)(mirror(12)).read.sees(beside)(said: _*).read
    val at    = stood.held.partitions.map(_._2.next).max
    assertEquals(stood.sees(old)(eu(16)).ranges, Vector(s"eu orders 0 $at-16"))
  }

  test("the same where the newer one is read to its end") {
    val ends           = orders.endingAt("""{"orders": {"*": {"timestamp": 900}}}""")
    val at900: Resolve = { case Question(_, OffsetPoint.Timestamp(900)) => Some(12L) }
    val began          = Query(skipping).sees(listed("new" -> ends), at900)(mirror(14)).read
    val stood = began.sees(listed("eu" -> orders, "new" -> ends.continuing("eu")), at900)(eu(14), mirror(14)).read
    assertEquals(stood.sees(old)(eu(16), mirror(14)).ranges, Vector("eu orders 0 12-16"))
  }
}
