package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Seen
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.LastKnown
import io.github.dynamickafka.spark.reconcile.report.Notice

/** A mirror that does not have all that was read when it is to go on. */
class MirrorBehindSuite extends FunSuite with MovingLog {
  private def ended(text: String) = listed("new" -> next.startingAt(text))

  private def behind(seen: Seen): Vector[(Int, (Long, Long))] = seen.notices.collect {
    case notice: Notice.MirrorBehind => notice.partitions.toVector
  }.flatten

  test("a mirror that ends below the position when it is to go on is held, with cluster, partition and both offsets") {
    val seen = query.sees(moved)(mirror(8, 10))
    assertEquals(seen.ranges, Vector.empty)
    assertEquals(behind(seen), Vector(0 -> (10L -> 8L)))
    val warning = seen.notices.map(_.warning).find(_.condition == Condition.MirrorBehind).map(_.detail).getOrElse("")
    assert(Seq("new", "eu", "orders", "partition 0", "10", "8", "startingOffsets").forall(warning.contains), warning)
    assert(seen.urgent, "it is recorded at once, since what the mirror says later proves nothing")
  }

  test("a mirror found behind is recorded at once, also if it stood by before") {
    val stood = query.sees(both)(eu(10, 10), mirror(10, 10)).read
    assert(stood.sees(moved)(mirror(8, 10)).urgent)
    assert(!stood.sees(moved)(mirror(8, 10)).read.sees(moved)(mirror(9, 10)).urgent, "once")
  }

  test("a mirror that lags when it is paused has time until it is lifted") {
    val stood  = query.sees(both)(eu(12, 10), mirror(11, 10)).read
    val paused = listed("new" -> next.paused)
    val caught = stood.sees(paused)(mirror(11, 10)).read.sees(paused)(mirror(12, 10)).read
    assertEquals(caught.sees(moved)(mirror(14, 10)).ranges, Vector("new orders 0 12-14"))
    assertEquals(behind(stood.sees(paused)(mirror(11, 10)).read.sees(moved)(mirror(14, 10))), Vector(0 -> (12L -> 11L)))
  }

  test("a mirror that catches up later stays held, also after a restart: producers may have filled the gap") {
    val held  = query.sees(moved)(mirror(8, 10)).read
    val later = held.sees(moved)(mirror(30, 10))
    assertEquals(later.ranges, Vector.empty)
    assertEquals(behind(later), Vector(0 -> (10L -> 8L)))
    val restarted = held.copy(known = LastKnown.nothing).sees(moved)(mirror(30, 10))
    assertEquals(behind(restarted), Vector(0 -> (10L -> 8L)))
  }

  test("a mirror stays held after an answer that leaves the partition out, or after another mirror in between") {
    val held = query.sees(moved)(mirror(8, 10)).read
    val part = held.sees(moved)("new" -> answer("orders" -> only(1 -> (0 -> 10)).of("T9")).of("K2")).read
    assertEquals(behind(part.sees(moved)(mirror(30, 10))), Vector(0 -> (10L -> 8L)))
    val short = held.sees(moved)("new" -> answer("orders" -> only(1 -> (0 -> 9)).of("T9")).of("K2")).read
    // Also after a restart.
    for (query <- Seq(short, short.copy(known = LastKnown.nothing, last = None)))
      assertEquals(behind(query.sees(moved)(mirror(30, 30))), Vector(0 -> (10L -> 8L), 1 -> (10L -> 9L)))
    val other   = "other" -> answer("orders" -> has(0 -> 9, 0 -> 10).of("T7")).of("K3")
    val between = held.sees(listed("other" -> next))(other).read
    assertEquals(behind(between.sees(moved)(mirror(30, 10))), Vector(0 -> (10L -> 8L)))
  }

  test("a mirror's last answer as a standby also shows that it is behind") {
    val stands = query.sees(both)(eu(12, 10), mirror(11, 10)).read
    assertEquals(behind(stands.sees(moved)(mirror(20, 10))), Vector(0 -> (12L -> 11L)))
    val caught = stands.sees(both)(eu(12, 10), mirror(12, 10)).read
    assertEquals(caught.sees(moved)(mirror(20, 10)).ranges, Vector("new orders 0 12-20"))
  }

  test("where mirroring ended, said by partition, is where it begins, and what producers filled in is read") {
    val held = query.sees(moved)(mirror(8, 10)).read
    val seen = held.sees(ended("""{"orders":{"0":8}}"""))(mirror(30, 10))
    assertEquals(seen.positions, Vector("new orders 0 [8,30,1]", "new orders 1 [10,10,1]"))
    assertEquals(behind(seen), Vector.empty)
  }

  test("a mirror begins at the lower one of the end of mirroring and the position") {
    val seen = query.sees(ended("""{"orders":{"0":40,"1":9}}"""))(mirror(50, 12))
    assertEquals(seen.positions, Vector("new orders 0 [10,50,1]", "new orders 1 [9,12,1]"))
  }

  test("other starting offsets than by partition say nothing of where mirroring ended") {
    val seen = query.sees(ended("""{"orders":"earliest"}"""))(mirror(8, 10))
    assertEquals(behind(seen), Vector(0 -> (10L -> 8L)))
  }

  test("what was said at one move does not count at the next, when the log was read beyond since") {
    val first  = query.sees(ended("""{"orders":{"0":8}}"""))(mirror(20, 10)).read
    val back   = first.sees(old)(eu(25, 10)).read
    val second = back.sees(ended("""{"orders":{"0":8}}"""))(mirror(30, 10))
    assertEquals(second.ranges, Vector("new orders 0 25-30"))
    val lagging = back.sees(ended("""{"orders":{"0":8}}"""))(mirror(22, 10))
    assertEquals(behind(lagging), Vector(0 -> (25L -> 22L)))
  }

  test("the old id, listed again meanwhile, reads on, and what was found is forgotten") {
    val held = query.sees(moved)(mirror(8, 10)).read
    val back = held.sees(both)(eu(12, 10), mirror(12, 10))
    assertEquals(back.ranges, Vector("eu orders 0 10-12"))
    assertEquals(back.read.sees(moved)(mirror(14, 10)).ranges, Vector("new orders 0 12-14"))
  }

  test("what the old id is known to have had beyond its mirror counts as abandoned") {
    // What came after its last answer before the take-over may be producers' own.
    for (end <- Seq(12, 20, 40)) {
      val seen = query.sees(both)(eu(30, 10), mirror(12, 10))
        .readSome(_.map { case (id, _) => id -> 11L }).sees(moved)(mirror(end, 10))
      assertEquals(seen.ranges, Vector(s"new orders 0 11-$end"))
      val left = seen.notices.collect { case notice: Notice.LeftBehind => notice.records }
      assertEquals(left, Vector(18L), clue(end))
    }
  }

  test("a partition whose leader says nothing is waited for, and one that the mirror does not have is behind") {
    val silent = "new" -> answer("orders" -> only(0 -> (0 -> 12)).of("T9").leaderless(1)).of("K2")
    val seen   = query.under(_.copy(unavailable = skipping.unavailable)).sees(moved)(silent)
    assertEquals(seen.ranges, Vector.empty)
    assertEquals(behind(seen), Vector.empty)
    assertEquals(behind(query.sees(moved)(mirror(12))), Vector(1 -> (10L -> 0L)))
  }

  test("what was found of one mirror does not count for a second one") {
    val held  = query.sees(moved)(mirror(8, 10)).read
    val other = "other" -> answer("orders" -> has(0 -> 14, 0 -> 10).of("T7")).of("K3")
    val seen  = held.sees(listed("other" -> next))(other)
    assertEquals(seen.ranges, Vector("other orders 0 10-14"))
    assertEquals(
      seen.read.held.clusters(ClusterId("other")).topics("orders").formers.keysIterator.map(_.value).toVector,
      Vector("eu")
    )
  }
}
