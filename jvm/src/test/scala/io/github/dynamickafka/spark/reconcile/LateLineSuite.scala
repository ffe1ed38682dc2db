package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** `continues` comes after both ids were read on their own, or comes by mistake. */
class LateLineSuite extends FunSuite with MovingLog {
  private val apart = listed("eu" -> orders, "new" -> orders)

  /** What the mirror answers that has lost its oldest records. */
  private def aged(extents: (Int, Int)*) = "new" -> answer("orders" -> has(extents: _*).of("T9")).of("K2")

  private val read = Query(fromEarliest).sees(apart)(eu(12), mirror(11)).read
  private val late = read.sees(both)(eu(14), mirror(14))

  private val lenient = Query(skipping.copy(failOnDataLoss = false))

  private def warned(seen: Seen): Vector[Notice] = seen.notices.collect { case notice: Notice.Joined => notice }

  test("the older one goes on, and a warning says so once, and where the other one was") {
    assertEquals(late.ranges, Vector("eu orders 0 12-14"))
    assertEquals(warned(late).map(_.warning.condition), Vector(Condition.ClusterDuplicated: Condition))
    assert(warned(late).head.warning.wording.text.contains("""startingOffsets: {"orders":{"0":11}}."""), warned(late))
    assert(late.urgent)
    assertEquals(late.positions, Vector("eu orders 0 [0,14,0]"))
    val again = late.read.sees(both)(eu(14), mirror(14))
    assertEquals((warned(again), again.urgent), (Vector.empty, false))
  }

  test("the line is taken back: both stay one log, and the other id under a new name goes on where the warning says") {
    val back = late.read.after(Duration.ofHours(1)).sees(apart)(eu(16), mirror(16))
    assertEquals(back.ranges, Vector("eu orders 0 14-16"))
    val named = listed("eu" -> orders, "new2" -> orders.startingAt("""{"orders":{"0":11}}"""))
    assertEquals(
      late.read.sees(named)(eu(16), "new2" -> mirror(16)._2).ranges,
      Vector("eu orders 0 14-16", "new2 orders 0 11-16")
    )
  }

  test("the old one goes: its position is the log's, also where the other one was read less far, or was paused") {
    assertEquals(late.read.sees(moved)(mirror(16)).ranges, Vector("new orders 0 14-16"))
    val rests = read.sees(listed("eu" -> orders, "new" -> next.paused))(eu(14), mirror(14)).read
    val waits = rests.sees(listed("new" -> next.paused))(mirror(15)).read
    assertEquals(waits.sees(moved)(mirror(16)).ranges, Vector("new orders 0 14-16"))
    val gap = late.read.after(Duration.ofHours(1)).sees(Topology.empty)(eu(14), mirror(14)).read
    assertEquals(gap.sees(moved)(mirror(16)).ranges, Vector("new orders 0 14-16"))
  }

  test("a position that is handed over has a higher number than any that its new id has held on its own") {
    val start        = lenient.sees(apart)(eu(12), mirror(11)).read
    def away(n: Int) = aged(n * 100 -> (n * 100 + 20))
    for (times <- 0 to 3) {
      val gone  = (1 to times).foldLeft(start)((at, n) => at.sees(apart)(eu(12), away(n)).read)
      val taken = gone.sees(Topology.empty)(eu(12), away(times)).read.sees(moved)(mirror(400))
      assertEquals(taken.ranges, Vector("new orders 0 12-400"), s"$times times aged out")
      val before = gone.sees(both)(eu(12), away(times)).read
      assertEquals(before.sees(moved)(mirror(400)).ranges, Vector("new orders 0 12-400"), s"$times, with a late line")
    }
  }

  // The new one has more partitions than the old one.
  private val wider = lenient.sees(apart)(eu(12), mirror(11, 50)).read

  for ((how, gone) <- Seq("off the list" -> Topology.empty, "standby" -> both)) {
    test(s"what only the new one has goes on where it was, $how before") {
      val seen = wider.sees(gone)(eu(12), mirror(12, 50)).read.sees(moved)(mirror(14, 60))
      assertEquals(seen.ranges, Vector("new orders 0 12-14", "new orders 1 50-60"))
    }

    test(s"also where a batch is limited, $how before") {
      val seen = wider.sees(gone)(eu(12), mirror(12, 50)).read.sees(moved)(mirror(14, 60))
      val some = seen.readSome(_.map { case (id, _) => id -> (seen.offset.get(id).get.next + 1) })
      assertEquals(ranges(seen.query.held, some.held), Vector("new orders 0 12-13", "new orders 1 50-51"))
    }

    test(s"also where records had aged out before, $how before") {
      val lost = wider.sees(apart)(eu(12), aged(0 -> 11, 55 -> 57)).read
      val seen = lost.sees(gone)(eu(12), aged(0 -> 12, 55 -> 57)).read.sees(moved)(aged(0 -> 14, 55 -> 60))
      assertEquals(seen.ranges, Vector("new orders 0 12-14", "new orders 1 57-60"))
    }

    for (
      (first, waits) <- Seq[(String, Query => Query)](
        "down"   -> (_.sees(moved)().read),
        "paused" -> (_.sees(listed("new" -> next.paused))(mirror(12, 50)).read),
        "behind" -> (_.sees(moved)(mirror(11, 50)).read)
      )
    ) {
      test(s"also where it is $first before it takes over, $how before") {
        val off  = wider.sees(gone)(eu(12), mirror(11, 50)).read
        val line = listed("new" -> next.startingAt("""{"orders": {"0": 12}}"""))
        val seen = waits(off).sees(line)(mirror(14, 60))
        assertEquals(seen.ranges, Vector("new orders 0 12-14", "new orders 1 50-60"))
      }

      test(s"where it is $first, and the line is taken back before it takes over: the old one goes on, $how before") {
        val off  = lenient.sees(apart)(eu(12), mirror(11)).read.sees(gone)(eu(12), mirror(11)).read
        val back = waits(off).sees(apart)(eu(14), mirror(14))
        assertEquals(back.ranges, Vector("eu orders 0 12-14"))
      }
    }
  }

  test("a hand-over is not logged while it is waited for, though the new id has a position of its own") {
    val off   = lenient.sees(apart)(eu(12), mirror(11)).read.sees(old)(eu(12), mirror(11)).read
    val waits = off.sees(moved)()
    assertEquals(waits.events, Vector.empty)
    assertEquals(waits.read.sees(moved)(mirror(12)).events.map(_.toString), Vector("cluster=new of=eu topic=orders"))
  }

  test("a position that waits to be handed over counts, though its new id is taken off and listed again first") {
    val off   = lenient.sees(apart)(eu(12), mirror(11)).read.sees(old)(eu(12), mirror(11)).read
    val steps = Seq(Topology.empty, moved, Topology.empty, moved)
    val waits = steps.foldLeft(off)((at, lists) => at.after(Duration.ofHours(1)).sees(lists)().read)
    assertEquals(waits.sees(moved)(mirror(14)).ranges, Vector("new orders 0 12-14"))
  }

  for (minutes <- Seq(1, -5))
    test(s"the one that was read last goes on, also where the clock was set back ($minutes min)") {
      def gone(query: Query, end: Int) =
        query.after(Duration.ofMinutes(minutes.toLong)).sees(Topology.empty)(eu(end, 10), mirror(end, 10)).read
      val apartRead = Query(fromEarliest).sees(apart)(eu(10, 10), mirror(10, 10)).read
      val joined    = apartRead.sees(both)(eu(15, 10), mirror(15, 10)).read.sees(both)(eu(20, 10), mirror(20, 10)).read
      assertEquals(gone(joined, 20).sees(moved)(mirror(25, 10)).ranges, Vector("new orders 0 20-25"))
      // Here it is the newer one.
      val newer = apartRead.after(Duration.ofHours(1)).sees(listed("new" -> orders))(eu(10, 10), mirror(15, 10)).read
      val stood = newer.after(Duration.ofMinutes(1)).sees(both)(eu(15, 10), mirror(20, 10)).read
      assertEquals(gone(stood, 20).sees(moved)(mirror(25, 10)).ranges, Vector("new orders 0 20-25"))
    }

  for (
    (how, waiting, said) <- Seq[(String, ListedCluster, Vector[(String, ClusterObservation)])](
      ("out of reach", orders, Vector("eu" -> down, "new" -> down)),
      ("paused", orders.paused, Vector(eu(20, 10), mirror(20, 10)))
    )
  ) test(s"two that were listed again, both $how, and then joined: once the reader is removed, its position counts") {
    val minute    = Duration.ofMinutes(1)
    val apartRead = Query(skipping).sees(apart)(eu(12), mirror(11)).read
    val off       = apartRead.after(minute).sees(Topology.empty)(eu(20, 10), mirror(11)).read
    val again     = off.after(minute).sees(listed("eu" -> waiting, "new" -> waiting))(said: _*).read
    val joined    = again.after(minute).sees(listed("eu" -> waiting, "new" -> next))(said: _*).read
    assertEquals(positions(joined.held).head, "eu orders 0 [0,20,0]")
    assertEquals(joined.after(minute).sees(moved)(mirror(25, 10)).ranges.head, "new orders 0 20-25")
  }

  for ((how, first) <- Seq("with the line" -> moved, "without the line" -> listed("new" -> orders)))
    test(s"the newer one is listed first again, $how and out of reach: the one that was read last goes on") {
      val minute = Duration.ofMinutes(1)
      val start  = Query(skipping).sees(apart)(eu(12), mirror(11)).read
      val off    = start.after(minute).sees(both)(eu(14), mirror(14)).read.sees(Topology.empty)(eu(14), mirror(14)).read
      val away   = off.after(minute).sees(first)("new" -> down).read
      assertEquals(away.after(minute).sees(both)(eu(16), mirror(16)).ranges, Vector("eu orders 0 14-16"))
    }

  for (back <- Seq(false, true))
    test(s"a position that waits for its next id goes over, also where the clock was set back meanwhile ($back)") {
      val hour  = Duration.ofHours(1)
      val start = Query(skipping).sees(apart)(eu(10), mirror(4)).read
      val gone  = start.after(hour).sees(both)(eu(10), mirror(20)).read
        .after(hour).sees(Topology.empty)(eu(10), mirror(20)).read
      val waits = gone.after(if (back) hour.multipliedBy(-2) else hour).sees(moved)("new" -> down).read
      assertEquals(waits.after(Duration.ofMinutes(1)).sees(moved)(mirror(20)).ranges, Vector("new orders 0 10-20"))
    }

  test("the older one is off the list when the line comes: its drain ends, and listed alone again, it continues") {
    val off  = read.sees(listed("new" -> orders))(eu(14), mirror(11)).readSome(_ => Map.empty)
    val line = off.sees(moved)(eu(14), mirror(13))
    assertEquals(line.ranges, Vector("new orders 0 11-13"))
    assertEquals(warned(line).map(_.warning.condition), Vector(Condition.ClusterDuplicated: Condition))
    assertEquals(line.notices.collect { case left: Notice.LeftBehind => left.records }, Vector(1L))
    assertEquals(line.read.sees(old)(eu(16)).ranges, Vector("eu orders 0 13-16"))
  }

  test("a topic that an id lists no more drains there, whatever that id continues with its other topics") {
    val more  = listed("eu" -> orders, "new" -> topics("orders", "refunds"))
    val said  = "new" -> answer("orders" -> has(0 -> 14).of("T9"), "refunds" -> has(0 -> 3).of("R9")).of("K2")
    val start = Query(fromEarliest).sees(more)(eu(12), said).readSome(_.map { case (id, _) => id -> 2L })
    val line  = listed("eu" -> orders, "new" -> topics("refunds").continuing("eu"))
    val seen  = start.sees(line)(eu(12), said)
    assertEquals(seen.ranges, Vector("eu orders 0 2-12", "new orders 0 2-14", "new refunds 0 2-3"))
  }

  // `new` took over from `eu`. `us` was read apart from both.
  private val three = Query(fromEarliest).sees(listed("eu" -> orders, "us" -> orders))(eu(12), us(7)).read
    .sees(listed("new" -> next, "us" -> orders))(mirror(13), us(8)).read

  private def us(end: Int) = "us" -> answer("orders" -> has(0 -> end).of("T7")).of("K7")

  private val lined = three.sees(listed("new" -> next.continuing("us"), "us" -> orders))(mirror(14), us(9))

  test("the first id of a log that had moved before continues the log that both were joined to") {
    assertEquals(lined.ranges, Vector("us orders 0 8-9"))
    val first = lined.read.sees(listed("eu" -> orders, "us" -> orders))(eu(15), us(10))
    assertEquals(first.ranges, Vector("us orders 0 9-10"))
    assertEquals(lined.read.sees(old)(eu(15)).ranges, Vector("eu orders 0 9-15"))
  }

  test("an earlier id that was never read belongs to the log that its next id was joined to") {
    val begun = Query(fromEarliest).sees(listed("new" -> next, "us" -> orders))(mirror(8), us(7)).read
    val lines = listed("new" -> orders.continuing("eu", "us"), "us" -> orders)
    val taken = begun.sees(lines)(mirror(9), us(9)).read.sees(lines)(mirror(9), us(10)).read
    assertEquals(taken.sees(old)(eu(15)).ranges, Vector("eu orders 0 10-15"))
    assertEquals(taken.sees(listed("eu" -> orders, "us" -> orders))(eu(15), us(11)).ranges.last, "us orders 0 10-11")
  }

}
