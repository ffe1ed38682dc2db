package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** Positions that lie after the end of their log, as asks agree: it was cut off, or the topic created again. */
class LogTruncationSuite extends FunSuite {
  private val orders = listed("eu" -> topics("orders"))
  private val spread = policy.agreement

  private def known(extents: (Int, Int)*)   = "eu" -> answer("orders" -> has(extents: _*).of("T1"))
  private def unknown(extents: (Int, Int)*) = "eu" -> answer("orders" -> has(extents: _*))

  private val withId                   = Query(fromEarliest).sees(orders)(known(0 -> 10, 0 -> 10)).read
  private val without                  = Query(fromEarliest).sees(orders)(unknown(0 -> 10, 0 -> 10)).read
  private def lax(query: Query): Query = query.under(_.copy(failOnDataLoss = false))

  /** What the ask says that comes when the first one of this answer is old enough. */
  private def agreed(query: Query, answer: (String, ClusterObservation)): Seen =
    query.sees(orders)(answer).read.after(spread).sees(orders)(answer)

  private def lost(seen: Seen): Vector[Long] = seen.notices.collect { case loss: Notice.Lost => loss.records }

  test("until asks agree the position is held, a warning says so, and other partitions are read on") {
    val first = withId.sees(orders)(known(0 -> 4, 0 -> 12))
    assertEquals(first.ranges, Vector("eu orders 1 10-12"))
    assertEquals(first.notices.map(_.warning.condition), Vector(Condition.DataLoss))
    val second = first.read.after(spread.minusMillis(1)).sees(orders)(known(0 -> 5, 0 -> 13))
    assertEquals(second.ranges, Vector("eu orders 1 12-13"))
    assertEquals(second.notices.map(_.subject), first.notices.map(_.subject), "reported once, though the end moves")
  }

  test("without epochs, a log that has grown again is held as long, and then a warning says that nobody can tell") {
    val doubted = withId.sees(orders)(known(0 -> 4, 0 -> 10)).read.after(spread.minusMillis(1))
    val held    = doubted.sees(orders)(known(0 -> 11, 0 -> 10))
    assertEquals((held.ranges, held.notices.map(_.warning.condition)), (Vector.empty, Vector(Condition.DataLoss)))
    val grown = held.read.after(spread).sees(orders)(known(0 -> 12, 0 -> 10))
    assertEquals(grown.ranges, Vector("eu orders 0 10-12"))
    assertEquals(grown.notices.collect { case one: Notice.GrownAgain => one.lowest }, Vector(4L))
    val on = grown.read.sees(orders)(known(0 -> 13, 0 -> 10))
    assertEquals((on.ranges, on.notices), (Vector("eu orders 0 12-13"), Vector.empty))
  }

  // The query has read up to 10 in epoch 3.
  private val proved = Query(fromEarliest).sees(orders)(led(10, epoch = 3)).read

  private def led(end: Long, epoch: Int) =
    "eu" -> answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch)))))

  private def agreesUpTo(at: Long): Resolve = { case Question(_, LogAgreement(10, 3, _)) => Some(at) }

  test("until a new leader has said whether its log is whole the position is held, and nobody is warned") {
    val open = proved.sees(orders)(led(12, epoch = 4))
    assertEquals((open.ranges, open.notices), (Vector.empty, Vector.empty))
    val whole = open.read.sees(orders, agreesUpTo(10))(led(12, epoch = 4))
    assertEquals((whole.ranges, whole.notices), (Vector("eu orders 0 10-12"), Vector.empty))
  }

  test("a new leader that has all that was read changes nothing, and is not asked again") {
    val seen = proved.sees(orders, agreesUpTo(10))(led(10, epoch = 4))
    assertEquals((seen.urgent, seen.notices), (false, Vector.empty))
    assertEquals(seen.read.sees(orders)(led(12, epoch = 4)).ranges, Vector("eu orders 0 10-12"))
  }

  test(
    "a new leader that has less is loss at once, however far its log has grown, and is read from there where allowed"
  ) {
    val failure = proved.sees(orders, agreesUpTo(6))(led(30, epoch = 4)).failure
    assertEquals(failure.condition, Condition.DataLoss)
    assert(failure.detail.contains("partition 0: read up to 10, cut off at 6"), failure.detail)
    val seen = lax(proved).sees(orders, agreesUpTo(6))(led(30, epoch = 4))
    assertEquals((seen.ranges, seen.positions), (Vector("eu orders 0 6-30"), Vector("eu orders 0 [6,30,1]")))
  }

  test("a leader of an earlier epoch is not believed, without a warning; one that stays is reported as what it is") {
    val held = proved.sees(orders)(led(12, epoch = 2))
    assertEquals((held.ranges, held.notices), (Vector.empty, Vector.empty))
    val soon = held.read.after(spread.minusMillis(1)).sees(orders)(led(13, epoch = 3))
    assertEquals((soon.ranges, soon.notices), (Vector("eu orders 0 10-13"), Vector.empty))
    val stays = held.read.after(spread).sees(orders)(led(13, epoch = 2))
    assertEquals(stays.ranges, Vector("eu orders 0 10-13"))
    assertEquals(stays.notices.map(_.warning.condition), Vector(Condition.DataLoss))
    assert(stays.notices.head.warning.detail.contains("earlier leader epoch"), stays.notices.head.warning.detail)
    assertEquals(stays.read.sees(orders)(led(14, epoch = 2)).notices, Vector.empty)
  }

  test("the same topic was cut off: an error that names partition, position and end, and an unclean leader") {
    val failure = agreed(withId, known(0 -> 4, 0 -> 10)).failure
    assertEquals(failure.condition, Condition.DataLoss)
    val said = Seq("orders", "eu", "partition 0: read up to 10, cut off at 4", "unclean leader")
    assert(said.forall(failure.detail.contains), failure.detail)
  }

  test("where loss is allowed it goes on where the log was cut off: what was written since is read, from there on") {
    val doubted = lax(withId).sees(orders)(known(0 -> 6, 0 -> 10)).read.sees(orders)(known(0 -> 4, 0 -> 10)).read
    val later   = doubted.sees(orders)(known(0 -> 7, 0 -> 10)).read.after(spread).sees(orders)(known(0 -> 9, 0 -> 10))
    assertEquals(later.ranges, Vector("eu orders 0 4-9"))
    assertEquals(later.positions, Vector("eu orders 0 [4,9,1]", "eu orders 1 [0,10,0]"))
  }

  test("a log that is cut off once more is doubted anew, and what was read since the first cut is not read again") {
    val jumped = agreed(lax(withId), known(0 -> 4, 0 -> 10)).read.sees(orders)(known(0 -> 9, 0 -> 10)).read
    val again  = jumped.sees(orders)(known(0 -> 7, 0 -> 10))
    assertEquals((again.ranges, lost(again)), (Vector.empty, Vector.empty))
    val seen = again.read.after(spread).sees(orders)(known(0 -> 8, 0 -> 10))
    assertEquals(seen.ranges, Vector("eu orders 0 7-8"))
    val once = agreed(lax(withId), known(0 -> 9, 0 -> 10)).read.sees(orders)(known(0 -> 7, 0 -> 10))
    assertEquals(
      (once.ranges, lost(once)),
      (Vector.empty, Vector.empty),
      "evidence of the first cut says nothing of it"
    )
  }

  test("a log that is cut off again right after the jump is doubted anew, and not for ever") {
    val doubted = lax(withId).sees(orders)(known(0 -> 4, 0 -> 10)).read.after(spread)
    val again   = doubted.sees(orders)(known(0 -> 9, 0 -> 10)).read.sees(orders)(known(0 -> 7, 0 -> 10))
    assertEquals(again.ranges, Vector.empty)
    val seen = again.read.after(spread).sees(orders)(known(0 -> 8, 0 -> 10))
    assertEquals(seen.ranges, Vector("eu orders 0 7-8"))
  }

  test("what was known of the log that was cut off, and was not read, is counted as lost") {
    val slow = lax(Query(fromEarliest)).sees(orders)(known(0 -> 30, 0 -> 10)).readSome(_.map { case (at, _) =>
      at -> 10L
    })
    val seen = agreed(slow, known(0 -> 4, 0 -> 10))
    assertEquals(lost(seen), Vector(20L))
    assertEquals(seen.positions, Vector("eu orders 0 [4,4,1]", "eu orders 1 [0,10,0]"))
  }

  test("where loss is allowed it goes on at the end of a log that got nothing since, in a new incarnation") {
    val seen = agreed(lax(withId), known(0 -> 4, 0 -> 10))
    assertEquals(seen.positions, Vector("eu orders 0 [4,4,1]", "eu orders 1 [0,10,0]"))
    assertEquals(lost(seen), Vector(0L), "no record is known to be lost")
    assert(seen.urgent, "a jump is recorded at once")
    assertEquals(seen.read.sees(orders)(known(0 -> 6, 0 -> 10)).ranges, Vector("eu orders 0 4-6"))
  }

  test("without ids of topics it can't be distinguished from a topic created again: the error says both") {
    val failure = agreed(without, unknown(0 -> 4, 0 -> 10)).failure
    assertEquals(failure.condition, Condition.TopicRecreated)
    assert(Seq("created again", "cut off", "partition 0").forall(failure.detail.contains), failure.detail)
  }

  test("where loss is allowed such a topic is read again from its earliest record") {
    val seen = agreed(lax(without), unknown(0 -> 4, 2 -> 12))
    assertEquals(seen.positions, Vector("eu orders 0 [0,4,1]", "eu orders 1 [2,12,1]"))
    assertEquals(lost(seen), Vector(0L))
  }

  test("an id that comes while the topic may be another one is not taken for the old one's") {
    val doubted = without.sees(orders)(known(0 -> 4, 0 -> 12)).read.after(spread)
    assertEquals(doubted.sees(orders)(known(0 -> 4, 0 -> 12)).failure.condition, Condition.TopicRecreated)
  }

  test("a position from which nothing was read yet is waited for, however long") {
    val ahead = Query(fromEarliest.copy(starting = rule("""{"eu": {"orders": {"0": 500}}}""")))
    val first = ahead.sees(orders)(known(0 -> 10))
    assertEquals(first.notices.map(_.warning.condition), Vector(Condition.InvalidOption))
    assert(Seq("500", "10", "startingOffsets").forall(first.notices.head.warning.detail.contains))
    val later = first.read.after(Duration.ofDays(1)).sees(orders)(known(0 -> 11))
    assertEquals(later.ranges, Vector.empty)
    assertEquals(later.notices.map(_.subject), first.notices.map(_.subject), "reported once")
    assertEquals(later.read.sees(orders)(known(0 -> 501)).ranges, Vector("eu orders 0 500-501"))
  }

  test("what is finished has nothing more to lose") {
    val ending   = listed("eu" -> topics("orders").endingAt("""{"orders": {"0": 10, "1": 10}}"""))
    val finished = withId.sees(ending)(known(0 -> 12, 0 -> 12)).read
    assertEquals(finished.sees(ending)(known(0 -> 4, 0 -> 4)).notices, Vector.empty)
  }

  test("removed from the metadata, created again without ids, and listed again is no loss, once asks agree") {
    val removed = without.sees(Topology.empty)(unknown(0 -> 10, 0 -> 10)).read
    val back    = removed.sees(orders)(unknown(0 -> 4, 0 -> 10))
    assertEquals(back.ranges, Vector.empty)
    val seen = back.read.after(spread).sees(orders)(unknown(0 -> 5, 0 -> 11))
    assertEquals(lost(seen), Vector.empty)
    assertEquals(seen.positions, Vector("eu orders 0 [0,5,1]", "eu orders 1 [0,11,1]"))
  }

  test("a drain does not end where the log ends by the answer of a broker that lags") {
    val lagging = withId.sees(Topology.empty)(known(0 -> 4, 0 -> 10))
    assertEquals(lagging.ranges, Vector.empty)
    val back = lagging.read.after(Duration.ofSeconds(1)).sees(Topology.empty)(known(0 -> 30, 0 -> 10))
    val seen = back.read.after(spread).sees(Topology.empty)(known(0 -> 30, 0 -> 10))
    assertEquals(seen.ranges, Vector("eu orders 0 10-30"))
  }

  test("an ending is not resolved by the answer of a broker that lags") {
    val ending  = listed("eu" -> topics("orders").endingAt("latest"))
    val lagging = withId.sees(ending)(known(0 -> 4, 0 -> 10)).read.after(Duration.ofSeconds(1))
    val back    = lagging.sees(ending)(known(0 -> 30, 0 -> 10)).read.after(spread)
    assertEquals(back.sees(ending)(known(0 -> 30, 0 -> 10)).ranges, Vector("eu orders 0 10-30"))
  }

  // Removed at the end 30, read up to 20.
  private val drains =
    withId.sees(Topology.empty)(known(0 -> 30, 0 -> 10)).readSome(_.map { case (id, _) => id -> 20L })
  private def abandoned(seen: Seen) = seen.notices.collect { case Notice.Abandoned(_, _, records, _) => records }

  test("a drain whose log ends before it is read to that end, is given up after drainTimeout, and counts the rest") {
    val short = drains.sees(Topology.empty)(known(0 -> 25, 0 -> 10))
    assertEquals(
      (short.ranges, abandoned(short), short.events),
      (Vector("eu orders 0 20-25"), Vector.empty, Vector.empty)
    )
    val waits = short.read.sees(Topology.empty)(known(0 -> 25, 0 -> 10))
    assertEquals((abandoned(waits), waits.urgent), (Vector.empty, false))
    val soon = waits.read.after(policy.removal.drainTimeout.minusMillis(1))
    assertEquals(abandoned(soon.sees(Topology.empty)(known(0 -> 25, 0 -> 10))), Vector.empty)
    val over = waits.read.after(policy.removal.drainTimeout).sees(Topology.empty)(known(0 -> 25, 0 -> 10))
    assertEquals((abandoned(over), over.urgent), (Vector(5L), true))
    assertEquals(over.read.sees(Topology.empty)(known(0 -> 40, 0 -> 10)).ranges, Vector.empty)
  }

  test("such a drain of an inactive cluster is given up once its log is read, and not before") {
    val inactive = drains.copy(inactive = Set(drains.held.clusters.keys.head))
    val short    = inactive.sees(Topology.empty)(known(0 -> 25, 0 -> 10))
    assertEquals((short.ranges, abandoned(short)), (Vector("eu orders 0 20-25"), Vector.empty))
    assertEquals(abandoned(short.read.sees(Topology.empty)(known(0 -> 25, 0 -> 10))), Vector(5L))
  }

  test("a log that has grown to the drain's end in time is read to it: a leader that lagged lost nothing") {
    val waits = drains.sees(Topology.empty)(known(0 -> 20, 0 -> 10)).read
    val later = waits.after(policy.removal.drainTimeout.minusMillis(1)).sees(Topology.empty)(known(0 -> 30, 0 -> 10))
    assertEquals((later.ranges, abandoned(later)), (Vector("eu orders 0 20-30"), Vector.empty))
  }

  test("without epochs, a cut that the first asks under another id of the same cluster see is noticed") {
    val eu     = "eu" -> answer("orders" -> has(0 -> 10)).of("K1")
    val before = Query(fromEarliest).sees(orders)(eu).read
    val moved  = listed("new" -> topics("orders").continuing("eu"))

    def now(end: Int) = "new" -> answer("orders" -> has(0 -> end)).of("K1")
    val short         = before.sees(moved)(now(6)).read.sees(moved)(now(6))
    assertEquals(short.ranges, Vector.empty)
    val grown = short.read.sees(moved)(now(12))
    assertEquals(grown.ranges, Vector.empty, "held until asks agree")
    assertEquals(grown.read.after(spread).sees(moved)(now(12)).notices.size, 1)
  }
}
