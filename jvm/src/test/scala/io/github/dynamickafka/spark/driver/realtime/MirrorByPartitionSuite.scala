package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.driver.uncommitted.UnreadableRange
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.{Least, OffsetRange, ReadLimits}
import io.github.dynamickafka.spark.topology.Topology

/** What is known of a mirror is known of each partition by itself: what is found or read of one says nothing of another. */
class MirrorByPartitionSuite extends FunSuite with FailOverRuns {
  private val defer  = UnreadableRangePolicy.Defer
  private val silent = Failure(Condition.ClusterUnreachable, "silent")

  for (p1 <- Seq(14, 12))
    test(
      s"what the offset has of a mirror counts once a part is given back, where another partition ends at $p1 of 14"
    ) {
      val store        = new InMemoryDecisionStore
      val (found, end) =
        start(store, moved, quick, unreadable = defer)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
          val found = run.triggers(last)
          assert(text(found).contains("behind"), text(found))
          run.says("eu" -> eu(18, 14))
          run.lists(old)
          val end = run.triggers(found)
          assertEquals(ranges(found, end), Vector("eu orders 0 15-18", "eu orders 1 10-14"))
          run.driver.plan(found, end): Unit
          val back = OffsetRange(partition("eu", "orders", 0), 15, 18, StreamId("s"))
          run.driver.deferrals.decided(Some(1), end, parts = Vector(UnreadableRange(back, silent)))
          (found, end)
        }
      start(store, moved, quick, unreadable = defer)("new" -> mirror(30, p1), "us" -> us(10)) { run =>
        planned(run, found, end): Unit
        val next = run.latest(end)
        assertEquals(ranges(end, next).filter(_.startsWith("new orders 0")), Vector.empty, text(next))
      }
    }

  for (p1 <- Seq(14, 12))
    test(
      s"so it does where nobody leads that partition of the mirror for a moment, and another one ends at $p1 of 14"
    ) {
      val store        = new InMemoryDecisionStore
      val (found, end) =
        start(store, moved, quick, unreadable = defer)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
          val found = run.triggers(last)
          run.says("eu" -> eu(18, 14))
          run.lists(old)
          val end = run.triggers(found)
          assertEquals(ranges(found, end), Vector("eu orders 0 15-18", "eu orders 1 10-14"))
          (found, end)
        }
      val unled = answer("orders" -> only(1 -> (0 -> p1)).leaderless(0).of("T9")).of("K2")
      start(store, moved, quick, unreadable = defer)("new" -> unled, "us" -> us(10)) { run =>
        planned(run, found, end): Unit
        run.says("new" -> mirror(30, p1))
        val next = run.latest(end)
        val more = run.latest(next)
        assertEquals(
          (ranges(end, next) ++ ranges(next, more)).filter(_.startsWith("new orders 0")),
          Vector.empty,
          text(more)
        )
      }
    }

  for (ofB <- Seq(20, 14))
    test(s"so it does where another mirror, which ends at $ofB of 18, is listed for a start") {
      val store        = new InMemoryDecisionStore
      val (found, end) =
        start(store, moved, quick, unreadable = defer)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
          val found = run.triggers(last)
          run.says("eu" -> eu(18, 10))
          run.lists(old)
          val end = run.triggers(found)
          assertEquals(ranges(found, end), Vector("eu orders 0 15-18"))
          (found, end)
        }
      start(store, other, quick, unreadable = defer)("b" -> b(ofB, 10), "us" -> us(10)) { run =>
        val read = planned(run, found, end)
        if (ofB == 14) {
          assertEquals(read, "")
          val next = run.triggers(end)
          run.says("b" -> down, "new" -> filled)
          run.lists(back)
          val more = run.latest(next)
          assertEquals((ranges(end, next) ++ ranges(next, more)).filter(_.startsWith("new")), Vector.empty, text(more))
        } else assertEquals(read, "eu 0 15-18")
      }
    }

  private val moment = Duration.ofMinutes(1)
  private val both2  = listed("eu" -> names, "new" -> next)
  private val old2   = listed("eu" -> names)
  private val moved2 = listed("new" -> next)
  private val stands = Query(skipping).sees(both2)("eu" -> eu(12, 10), "new" -> mirror(11, 10)).read

  for (p1 <- Seq(10, 14); flap <- Seq("the old id alone", "nothing"))
    test(s"what a standby answered counts where $flap is listed for a moment, in which another partition goes to $p1") {
      val list: Topology = if (flap == "nothing") Topology.empty else old2
      val left           = stands.after(moment).sees(list)("eu" -> eu(12, p1)).read
      val seen           = left.after(moment).sees(moved2)("new" -> mirror(20, 14))
      assertEquals(seen.ranges.filter(_.startsWith("new orders 0")), Vector.empty)
    }

  test("so it does where the old id has more in that moment, and the limits let nothing of it be read") {
    val left = stands.after(moment).sees(old2)("eu" -> eu(14, 10)).readSome(_ => Map.empty)
    assertEquals(positions(left.held).head, "eu orders 0 [0,12,0]")
    val seen = left.after(moment).sees(moved2)("new" -> mirror(20, 14))
    assertEquals(seen.ranges.filter(_.startsWith("new orders 0")), Vector.empty)
  }

  for (p1 <- Seq(10, 12))
    test(s"so it does in the driver, where another partition goes to $p1") {
      start(new InMemoryDecisionStore, beside)("eu" -> eu(15, 10), "new" -> mirror(12, 10), "us" -> us(10)) { run =>
        val zero = run.triggers(two)
        run.says("eu" -> eu(15, p1))
        run.lists(old)
        val one = run.triggers(zero)
        run.says("eu" -> down, "new" -> mirror(30, 12))
        run.lists(moved)
        val end = run.latest(one)
        assertEquals(ranges(one, end).filter(_.startsWith("new orders 0")), Vector.empty, text(end))
      }
    }

  test("so it does in the driver, under minOffsetsPerTrigger") {
    start(new InMemoryDecisionStore, beside)("eu" -> eu(15, 10), "new" -> mirror(12, 10), "us" -> us(10)) { run =>
      val zero = run.triggers(two)
      run.says("eu" -> eu(17, 10))
      run.lists(old)
      val one = run.driver.latest(zero, ReadLimits(None, Some(Least(100, Duration.ofMinutes(15))), aligned = false))
      assertEquals(ranges(zero, one), Vector.empty)
      run.says("eu" -> down, "new" -> mirror(30, 12))
      run.lists(moved)
      val end = run.latest(one)
      assertEquals(ranges(one, end).filter(_.startsWith("new orders 0")), Vector.empty, text(end))
    }
  }

  for (p1 <- Seq(10, 12))
    test(s"so it does in Real-Time Mode, where another partition goes to $p1") {
      val kept = new InMemoryDecisionStore
      start(new InMemoryDecisionStore, beside, realTime(), kept)(
        "eu"  -> eu(15, 10),
        "new" -> mirror(12, 10),
        "us"  -> us(10)
      ) { run =>
        def now = run.driver.remembered.last.map(_.reconciled.offset).get
        assertEquals(run.border(two), Vector("eu 0 15", "eu 1 10", "us 0 10"))
        run.driver.beginnings.begins(two, now, () => ())
        run.says("eu" -> eu(15, p1))
        run.lists(old)
        assertEquals(run.border(two), Vector("eu 0 15", "eu 1 10", "us 0 10"))
        val at = now.moved(Map(partition("eu", "orders", 1) -> p1.toLong))
        run.says("eu" -> down, "new" -> mirror(30, 12))
        run.lists(moved)
        assertEquals(run.border(at).filter(_.startsWith("new 0")), Vector.empty)
      }
    }
}
