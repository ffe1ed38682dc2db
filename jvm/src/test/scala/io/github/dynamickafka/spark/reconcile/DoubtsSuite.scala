package io.github.dynamickafka.spark.reconcile

import java.time.{Duration, Instant}

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.offsets._

/** What looks gone counts as gone only once asks agree that are spread over some time. */
class DoubtsSuite extends FunSuite {
  private val eu     = ClusterId("eu")
  private val spread = Duration.ofSeconds(30)
  private val gone   = answer("orders" -> absent)

  private def at(seconds: Long): Instant = begin.plusSeconds(seconds)

  private def holding(position: PartitionOffset, removal: Option[Removal] = None): SourceOffset = {
    val orders = TopicOffset(None, StreamId("orders"), SortedMap(0 -> position), removal)
    SourceOffset(SortedMap(eu -> ClusterOffset(None, SortedMap("orders" -> orders))))
  }
  private val held = holding(PartitionOffset(0, 5, 0))

  private def asked(answers: (Long, ClusterObservation)*): Doubts = askedOf(held)(answers: _*)

  private def askedOf(held: SourceOffset)(answers: (Long, ClusterObservation)*): Doubts =
    answers.foldLeft(Doubts.none) { case (doubts, (when, answer)) => doubts.asked(held, Map(eu -> answer), at(when)) }

  private def lost(doubts: Doubts, now: Long, fetched: Long, held: SourceOffset = held): Option[Condition] =
    doubts.loss(held, spread, at(now), at(fetched)).map(_.condition)

  private def cutOff(doubts: Doubts, now: Long): Boolean = doubts.cutOff(PartitionId(eu, "orders", 0), spread, at(now))

  test("a topic once held counts as deleted when asks over the whole time agree") {
    val doubts = asked(0L -> gone, 20L -> gone)
    assert(!doubts.deleted(eu, "orders", spread, at(29)))
    assert(doubts.deleted(eu, "orders", spread, at(30)))
  }

  test("its deletion is loss once a fetch that began afterwards still lists it") {
    val doubts = asked(0L -> gone, 20L -> gone)
    assertEquals(lost(doubts, now = 29, fetched = 29), None)
    assertEquals(lost(doubts, now = 31, fetched = 29), None)
    assertEquals(lost(doubts, now = 32, fetched = 31), Some(Condition.DataLoss))
  }

  test("a deleted topic that the metadata does not list any more is no loss") {
    val removed = holding(PartitionOffset(0, 5, 0), Some(Removal(0, None)))
    val doubts  = askedOf(removed)(0L -> gone, 20L -> gone)
    assert(doubts.deleted(eu, "orders", spread, at(32)))
    assertEquals(lost(doubts, now = 32, fetched = 31, removed), None)
  }

  test("one answer that has the topic begins the time anew, and so does an ask without an answer") {
    for (other <- Seq(answer("orders" -> has(0 -> 5)), answer(), down)) {
      val doubts = asked(0L -> gone, 20L -> other, 25L -> gone)
      assertEquals(lost(doubts, now = 40, fetched = 39), None)
    }
  }

  test("a topic that was never held is waited for") {
    assertEquals(asked(0L -> answer("refunds" -> absent)), Doubts.none)
  }

  test("a log that ends before what was read counts as cut off when asks over the whole time agree") {
    def ends(at: Int) = answer("orders" -> has(0 -> at))
    val doubts        = asked(0L -> ends(3), 20L -> ends(4))
    assert(!cutOff(doubts, now = 29))
    assert(cutOff(doubts, now = 30))
    assert(!cutOff(asked(0L -> ends(3), 20L -> ends(5), 25L -> ends(3)), now = 40))
    assert(!cutOff(asked(0L -> ends(3), 20L -> answer("orders" -> has()), 25L -> ends(3)), now = 40))
  }

  test("where nothing was read yet, no log is cut off") {
    assertEquals(askedOf(holding(PartitionOffset(5, 5, 0)))(0L -> answer("orders" -> has(0 -> 3))), Doubts.none)
  }
}
