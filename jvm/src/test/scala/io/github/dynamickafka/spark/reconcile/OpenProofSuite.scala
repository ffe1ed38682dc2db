package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.Topology

/** Positions after a change of leaders: whether their log was cut off is said, said differently, or not said. */
class OpenProofSuite extends FunSuite with MovingLog {
  private def led(end: Long, epoch: Int, id: String = "eu") =
    id -> answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")

  // The query has read up to 10 in epoch 5.
  private val epoch5 = Query(fromEarliest).sees(old)(led(10, 5)).read

  private def said(seen: Seen): Boolean = seen.outcome.fold(_ => true, _.notices.nonEmpty)

  private def agreed(end: Long): Resolve = { case Question(_, LogAgreement(10, 5, _)) => Some(end) }

  test("a partition whose leader never says whether its log was cut off is not held in silence") {
    val first = epoch5.sees(old)(led(15, 6)).read.after(Duration.ofHours(1))
    assert(said(first.sees(old)(led(20, 6))))
  }

  test("a frozen run whose targets wait for such a leader does not end in silence") {
    val first = epoch5.sees(old)(led(15, 5))
    val run   = FrozenRun.from(old, first.step)
    val held  = first.readSome(_.map { case (id, _) => id -> 12L }).held
    val later = Query(fromEarliest, held).sees(old)(led(15, 6))
    val step  = run.step(later.input, fromEarliest)
    assert(step.fold(_ => true, one => one.readable.nonEmpty || one.notices.nonEmpty), step)
  }

  test("a frozen run does not end in silence where a leader does not answer in its first step") {
    val seen = epoch5.copy(last = None).sees(old)(led(15, 6))
    assert(said(seen), seen.outcome)
  }

  test("a frozen run in which a cluster is renamed reads it, though its leaders have changed") {
    val seen = epoch5.copy(last = None).sees(moved, agreed(10))(led(15, 6, "new"))
    assertEquals(seen.ranges, Vector("new orders 0 10-15"))
  }

  test("an older leader that answers for long does not make what was proved before look cut off") {
    val older           = epoch5.sees(old)(led(10, 4)).read.after(policy.agreement).sees(old)(led(10, 4)).read
    val before: Resolve = { case Question(_, LogAgreement(10, 4, _)) => Some(8) }
    val seen            = older.sees(old, agreed(10).orElse(before))(led(15, 6))
    assertEquals(seen.ranges, Vector("eu orders 0 10-15"))
  }

  test("a drain ends after drainTimeout where the leader never says whether its log was cut off") {
    val drains = epoch5.sees(Topology.empty)(led(20, 5)).readSome(_.map { case (id, _) => id -> 12L })
    assert(drains.held.topics.exists(_._3.drains))
    val later = (1 to 5).foldLeft(drains) { (at, _) =>
      at.after(Duration.ofMinutes(30)).sees(Topology.empty)(led(20, 6)).read
    }
    assert(!later.held.topics.exists(_._3.drains), later.held)
  }

  test("what was written after a cut and before the removal drains where loss is allowed") {
    val seen = epoch5.under(_.copy(failOnDataLoss = false)).sees(Topology.empty, agreed(6))(led(26, 6))
    assertEquals(seen.ranges, Vector("eu orders 0 6-26"))
  }
}
