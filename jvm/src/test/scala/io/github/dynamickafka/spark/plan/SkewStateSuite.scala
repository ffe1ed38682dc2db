package io.github.dynamickafka.spark.plan

import java.time.{Duration, Instant}

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.PartitionOffset
import io.github.dynamickafka.spark.options.SkewSettings
import io.github.dynamickafka.spark.plan.TimestampSkew.{Bound, Floor}

/** How clusters that do not answer, or have nothing to read, affect the next batches. */
class SkewStateSuite extends FunSuite {
  private val skew  = SkewSettings(Duration.ofMillis(10), Duration.ofMinutes(10))
  private val begin = Instant.ofEpochSecond(1000)
  private val eu    = id("eu", "orders", 0)
  private val us    = id("us", "orders", 0)
  private val held  = offset(eu -> PartitionOffset(0, 5, 0), us -> PartitionOffset(0, 7, 0))
  private val usOut = Map(ClusterId("us") -> begin)

  private def next(times: (PartitionId, Long)*): Map[PartitionId, LookAhead] = times.map { case (id, time) =>
    id -> LookAhead.of(PartitionOffset(0, 5, 0), 6, Iterator(TimedOffset(5, time)))
  }.toMap

  implicit private class Steps(memory: SkewState) {
    def sees(times: (PartitionId, Long)*): SkewState = memory.step(held, next(times: _*), Map.empty, skew, begin)._2

    /** The bound when `us` has not answered for this time. */
    def without(us: Duration)(times: (PartitionId, Long)*): Bound =
      memory.step(held, next(times: _*), usOut, skew, begin.plus(us))._1
  }

  private def soon = Duration.ofSeconds(1)

  test("a cluster that stops answering holds the others at its last known next record") {
    assertEquals(SkewState().sees(eu -> 100L, us -> 40L).without(soon)(eu -> 100L), Bound.UpTo(50))
  }

  test("a cluster that had nothing to read when it last answered counts as the slowest one of that time") {
    assertEquals(SkewState().sees(eu -> 100L).without(soon)(eu -> 130L), Bound.UpTo(110))
  }

  test("a cluster that had nothing to read, when no cluster had, counts from the next record of any cluster") {
    val (first, later) = SkewState().sees().step(held, next(eu -> 100L), usOut, skew, begin)
    assertEquals(first, Bound.UpTo(110))
    assertEquals(later.without(soon)(eu -> 130L), Bound.UpTo(110))
  }

  test("after a restart nothing is known of one that does not answer, and the others wait") {
    assertEquals(SkewState().without(soon)(eu -> 100L), Bound.Nothing)
  }

  test("a cluster that never answered and is to take over positions counts as the slowest of their ids") {
    val known              = SkewState().sees(eu -> 40L, us -> 60L)
    val next               = ClusterId("new")
    def floor(of: String*) = known.succeeded(of.iterator.map(next -> ClusterId(_))).floors.get(next)
    assertEquals(floor("eu", "us"), Some(Floor.At(40)))
    assertEquals(floor("us"), Some(Floor.At(60)))
    assertEquals(floor("us", "none"), None)
    assertEquals(known.succeeded(Iterator(us.cluster -> eu.cluster)).floors, known.floors, "one that has answered")
  }

  test("a cluster is waited for since it stopped answering, and no longer than maxSkewWait") {
    val known = SkewState().sees(eu -> 100L, us -> 40L).step(held, next(eu -> 100L), usOut, skew, begin)._2
    assertEquals(known.without(Duration.ofMinutes(9))(eu -> 100L), Bound.UpTo(50))
    assertEquals(known.notAwaited, Set.empty[ClusterId])
    val (bound, over) = known.step(held, next(eu -> 100L), usOut, skew, begin.plus(skew.patience))
    assertEquals((bound, over.notAwaited), (Bound.UpTo(110): Bound, Set(ClusterId("us"))))
    val (back, again) = over.step(held, next(eu -> 100L, us -> 40L), Map.empty, skew, begin.plus(skew.patience))
    assertEquals(
      (back, again.notAwaited, again.absent),
      (Bound.UpTo(50): Bound, Set.empty[ClusterId], Map.empty[ClusterId, Instant])
    )
  }

  test("where the clock is set back, a cluster is waited for no longer than maxSkewWait from then on") {
    val known        = SkewState().sees(eu -> 100L, us -> 40L).step(held, next(eu -> 100L), usOut, skew, begin)._2
    val back         = begin.minus(Duration.ofDays(1))
    val (bound, now) = known.step(held, next(eu -> 100L), usOut, skew, back)
    assertEquals(bound, Bound.UpTo(50): Bound)
    assertEquals(now.step(held, next(eu -> 100L), usOut, skew, back.plus(skew.patience))._1, Bound.UpTo(110): Bound)
  }

  test("the next records of a position are looked up once, and again in another incarnation") {
    val memory = SkewState(looks = next(eu -> 100L))
    assertEquals(memory.unseen(held, Map(eu -> 9L, us -> 9L)).keySet, Set(us))
    assertEquals(memory.unseen(held.moved(Map(eu -> 6L)), Map(eu -> 9L)).keySet, Set(eu))
    assertEquals(memory.unseen(offset(eu -> PartitionOffset(0, 5, 1)), Map(eu -> 9L)).keySet, Set(eu))
    assertEquals(memory.unseen(held, Map.empty).keySet, Set.empty[PartitionId])
  }

  test("a cluster that is gone is forgotten") {
    val later =
      SkewState().sees(us -> 40L).step(offset(eu -> PartitionOffset(0, 5, 0)), Map.empty, Map.empty, skew, begin)._2
    assertEquals(later.floors.keySet, Set(ClusterId("eu")))
  }
}
