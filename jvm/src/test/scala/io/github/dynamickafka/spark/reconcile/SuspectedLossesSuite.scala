package io.github.dynamickafka.spark.reconcile

import java.time.{Duration, Instant}

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.offsets._
import io.github.dynamickafka.spark.reconcile.observed.{Agreement, ClusterObservation, LastKnown, SuspectedLosses}
import io.github.dynamickafka.spark.topology.Topology

/** What looks gone counts as gone only once asks agree that are spread over some time. */
class SuspectedLossesSuite extends FunSuite {
  private val eu     = ClusterId("eu")
  private val spread = Duration.ofSeconds(30)
  private val gone   = answer("orders" -> absent)

  private def at(seconds: Long): Instant = begin.plusSeconds(seconds)

  private def holding(
      position: PartitionOffset,
      removal: Option[Removal] = None,
      kafkaId: Option[String] = None
  ): SourceOffset = {
    val orders = TopicOffset(kafkaId, StreamId("orders"), SortedMap(0 -> position), removal)
    SourceOffset(SortedMap(eu -> ClusterOffset(None, SortedMap("orders" -> orders))))
  }
  private val held = holding(PartitionOffset(0, 5, 0))

  private def asked(answers: (Long, ClusterObservation)*): SuspectedLosses = askedOf(held)(answers: _*)

  private def askedOf(held: SourceOffset)(answers: (Long, ClusterObservation)*): SuspectedLosses =
    answers.foldLeft(SuspectedLosses.none) { case (before, (when, answer)) => before.after(held, answer, when) }

  implicit private class MoreAsks(before: SuspectedLosses) {
    def after(held: SourceOffset, answer: ClusterObservation, when: Long): SuspectedLosses =
      before.asked(
        StepBasis(held, here),
        Map(eu -> answer),
        Map.empty,
        _ => Agreement.of(at(when), at(when)),
        LastKnown.nothing,
        spread
      )
  }

  private val here = listed("eu" -> topics("orders"))

  /** Whether a step fails that knows this. */
  private def lost(known: SuspectedLosses, held: SourceOffset = held, topology: Topology = here): Option[Condition] = {
    val last = LastKnown(suspectedLosses = known)
    Reconciler.step(
      StepInput(StepBasis(held, topology), Set.empty, Map(eu -> gone), Map.empty, begin, last),
      fromEarliest
    )
      .left.toOption.map(_.condition)
  }

  private def truncated(known: SuspectedLosses): Boolean =
    known.cut.get(PartitionId(eu, "orders", 0)).exists(log => log.short && log.asks.spans(spread))

  test("a topic once held counts as deleted when asks over the whole time agree, and that is loss") {
    assert(!asked(0L -> gone, 29L -> gone).deleted(eu, "orders", spread))
    assertEquals(lost(asked(0L -> gone, 29L -> gone)), None)
    assert(asked(0L -> gone, 20L -> gone, 30L -> gone).deleted(eu, "orders", spread))
    assertEquals(lost(asked(0L -> gone, 20L -> gone, 30L -> gone)), Some(Condition.DataLoss))
  }

  test("one ask counts once, however often its answer is looked at, and however much time passes") {
    val looked = (1 to 100).foldLeft(asked(0L -> gone))((suspectedLosses, _) =>
      suspectedLosses.after(held, gone, 0)
    )
    assertEquals(lost(looked), None)
  }

  test("where the clock was set back the time begins anew, and ends") {
    assertEquals(lost(asked(0L -> gone, 20L -> gone, -3600L -> gone, -3571L -> gone)), None)
    assertEquals(lost(asked(0L -> gone, 20L -> gone, -3600L -> gone, -3570L -> gone)), Some(Condition.DataLoss))
  }

  test("while a cluster is silent, the asks before it stand") {
    val suspectedLosses = asked(0L -> gone, 20L -> ClusterObservation.Silent(None), 31L -> gone)
    assertEquals(lost(suspectedLosses), Some(Condition.DataLoss))
  }

  test("more asks decide while they do not agree for long enough, and something follows from it") {
    val removed         = holding(PartitionOffset(0, 5, 0), Some(Removal.Open(0)))
    val drained         = holding(PartitionOffset(0, 5, 0), Some(Removal.stopped(0)))
    val unled           = holding(PartitionOffset(0, 5, 0), Some(Removal.Draining(0, SortedMap(0 -> Drain.Unknown))))
    val suspectedLosses = asked(0L -> gone)
    assert(suspectedLosses.open(StepBasis(held, here), spread, lossFails = true))
    val named = holding(PartitionOffset(0, 5, 0), kafkaId = Some("T"))
    assert(!suspectedLosses.open(StepBasis(named, here), spread, lossFails = false), "it is waited for")
    assert(
      suspectedLosses.open(StepBasis(held, here), spread, lossFails = false),
      "nothing else distinguishes the next one"
    )
    assert(suspectedLosses.open(StepBasis(removed, here), spread, lossFails = false), "its drain is over if it is gone")
    assert(suspectedLosses.open(StepBasis(unled, here), spread, lossFails = false), "so it is where one end is unknown")
    assert(!suspectedLosses.open(StepBasis(drained, here), spread, lossFails = true))
    assert(!asked(0L -> gone, 30L -> gone).open(StepBasis(held, here), spread, lossFails = true))
    assert(asked(0L -> answer("orders" -> has(0 -> 3))).open(StepBasis(held, here), spread, lossFails = false))
  }

  test("a deleted topic that the metadata does not list any more is no loss") {
    val removed         = holding(PartitionOffset(0, 5, 0), Some(Removal.Open(0)))
    val suspectedLosses = askedOf(removed)(0L -> gone, 30L -> gone)
    assert(suspectedLosses.deleted(eu, "orders", spread))
    assertEquals(lost(suspectedLosses, removed, Topology.empty), None)
  }

  test("one answer that has the topic begins the time anew, and so does an ask without an answer") {
    for (other <- Seq(answer("orders" -> has(0 -> 5)), answer(), down)) {
      val suspectedLosses = asked(0L -> gone, 20L -> other, 25L -> gone, 40L -> gone)
      assertEquals(lost(suspectedLosses), None)
    }
  }

  test("a topic that was never held is waited for") {
    assertEquals(asked(0L -> answer("refunds" -> absent)), SuspectedLosses.none)
  }

  test("a log that ends before what was read counts as cut off when asks over the whole time agree") {
    def ends(at: Int) = answer("orders" -> has(0 -> at))
    assert(!truncated(asked(0L -> ends(3), 29L -> ends(4))))
    assert(truncated(asked(0L -> ends(3), 30L -> ends(4))))
  }

  test("a log that was seen short stays suspected for the whole time, whatever is answered in between") {
    def ends(at: Int) = answer("orders" -> has(0 -> at))
    for (other <- Seq(ends(5), answer("orders" -> has()), answer("orders" -> absent), down)) {
      assert(!truncated(asked(0L -> ends(3), 20L -> other, 29L -> ends(3))))
      assert(truncated(asked(0L -> ends(3), 20L -> other, 40L -> ends(3))))
      assert(!truncated(asked(0L -> ends(3), 20L -> other, 40L -> ends(5))))
    }
    val grown  = asked(0L -> ends(3), 20L -> ends(5), 40L -> ends(6))
    val warned = grown.warned(Seq(PartitionId(eu, "orders", 0)))
    assertEquals(warned, SuspectedLosses.none, "a step warns, then it is over")
    assertEquals(warned.after(held, ends(4), 41).cut.values.map(_.asks.came).toSet, Set(at(41)), "or begins anew")
    assertEquals(grown.after(held, ends(6), 41).cut.keySet, grown.cut.keySet, "before that, it is not")
  }

  test("a log that asks agree on was cut off, however much it grows from then on") {
    def ends(at: Int) = answer("orders" -> has(0 -> at))
    assert(truncated(asked(0L -> ends(3), 30L -> ends(4), 40L -> ends(9))))
  }

  test("where nothing was read yet, no log is cut off") {
    assertEquals(
      askedOf(holding(PartitionOffset(5, 5, 0)))(0L -> answer("orders" -> has(0 -> 3))),
      SuspectedLosses.none
    )
  }

  test("nothing waits for asks about a log that no ask reports any more") {
    val short = answer("orders" -> has(0 -> 3))
    assert(!asked(0L -> short, 1L -> down).open(StepBasis(held, here), spread, lossFails = true))
    val paused = listed("eu" -> topics("orders").paused)
    assert(!asked(0L -> short).open(StepBasis(held, paused), spread, lossFails = true))
  }
}
