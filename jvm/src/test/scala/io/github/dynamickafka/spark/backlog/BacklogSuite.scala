package io.github.dynamickafka.spark.backlog

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Drain, PartitionOffset, Removal, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** Since when records wait that are written and not read. Times are small numbers here. */
class BacklogSuite extends FunSuite {
  private val hour   = 3600000L
  private val orders = id("eu", "orders", 0)
  private val eu     = ClusterId("eu")

  private def at(next: Long, more: (PartitionId, PartitionOffset)*): SourceOffset =
    offset((orders -> PartitionOffset(0, next, 0)) +: more: _*)

  /** The whole topic `orders` of `eu` as reported at this time: the oldest record and the end of each partition. */
  private def report(time: Long, ends: (Int, (Long, Long))*): (ClusterId, String) => Option[TopicReport] = (_, _) =>
    Some(TopicReport(eu, time, ends.map { case (number, (from, to)) => number -> Extent(from, to) }.toMap))

  private def upTo(time: Long, end: Long) = report(time, 0 -> (0L -> end))

  implicit private class Steps(backlog: Backlog) {

    /** An ask that changes nothing of what is held. */
    def asks(held: SourceOffset, report: (ClusterId, String) => Option[TopicReport]): Backlog =
      backlog.asked(held, held, report)

    def since(held: SourceOffset): Option[Long] = backlog.waiting(held).map(_.since).minOption
  }

  private val silent: (ClusterId, String) => Option[TopicReport] = (_, _) => None

  private def times(all: (PartitionId, Long)*): PartitionMap[Long] = PartitionMap.from(all)

  test("unread records of an unknown past wait since they were first seen") {
    val seen = Backlog.none.asks(at(5), upTo(10, 20)).asks(at(5), upTo(30, 25))
    assertEquals(seen.since(at(5)), Some(10L))
  }

  test("once all known records are read, nothing waits") {
    assertEquals(Backlog.none.asks(at(5), upTo(10, 20)).since(at(20)), None)
    assertEquals(Backlog.none.asks(at(20), upTo(10, 20)).since(at(20)), None)
  }

  test("records that came after an ask wait since that ask") {
    val empty = Backlog.none.asks(at(20), upTo(10, 20))
    assertEquals(empty.asks(at(20), upTo(40, 25)).asks(at(20), upTo(50, 30)).since(at(20)), Some(10L))
  }

  test("a partition that is read to the end of each ask, and always has more, waits since the last ask") {
    val seen = Backlog.none.asks(at(0), upTo(10, 20)).asks(at(20), upTo(40, 30)).asks(at(30), upTo(70, 40))
    assertEquals(seen.since(at(30)), Some(40L))
  }

  test("while a part is read, the time of the last record counts, also if it is older than the one before") {
    val seen = Backlog.none.asks(at(0), upTo(1000, 20))
    assertEquals(seen.read(times(orders -> 300)).since(at(5)), Some(300L))
    val later = seen.read(times(orders -> 300)).asks(at(5), upTo(1100, 30)).read(times(orders -> 200))
    assertEquals(later.since(at(10)), Some(200L))
  }

  test("of the last record's time and the time when nothing waited, the later one counts") {
    val seen = Backlog.none.asks(at(20), upTo(500, 20)).asks(at(20), upTo(1000, 30))
    assertEquals(seen.read(times(orders -> 300)).since(at(25)), Some(500L))
    assertEquals(seen.read(times(orders -> 700)).since(at(25)), Some(700L))
  }

  test("a clock of a producer that is ahead does not hide what waits") {
    val seen = Backlog.none.asks(at(0), upTo(1000, 20)).read(times(orders -> 999999))
    assertEquals(seen.since(at(5)), Some(1000L))
  }

  test("what an uncommitted batch has read counts, though no cluster had been asked") {
    val seen = Backlog.none.read(times(orders -> 300)).asks(at(5), upTo(1000, 20))
    assertEquals(seen.since(at(5)), Some(300L))
    assertEquals(seen.early.isEmpty, true)
  }

  test("records known to be unread before any cluster answers wait since that became known") {
    val back = Backlog.none.known(PartitionMap.from(Map(orders -> 20L)), 10)
    assertEquals(back.asks(at(5), silent).since(at(5)), Some(10L))
    assertEquals(back.asks(at(5), silent).asks(at(5), upTo(90, 30)).since(at(5)), Some(10L))
    assertEquals(back.asks(at(5), upTo(90, 5)).since(at(5)), None)
    // The first look at the oldest record is no deletion.
    val asked = back.asks(at(5), report(hour, 0 -> (0L -> 30L))).asks(at(5), report(2 * hour, 0 -> (1L -> 30L)))
    assertEquals(asked.waiting(at(5)).flatMap(_.lostAt).toVector, Vector.empty)
  }

  test("while a cluster is silent, what was known of it stays and time goes on") {
    val seen = Backlog.none.asks(at(5), upTo(10, 20)).asks(at(5), silent).asks(at(5), silent)
    assertEquals(seen.since(at(5)), Some(10L))
    assertEquals(seen.since(at(20)), None)
  }

  test("a partition that a partial answer leaves out keeps what was known of it, and its time goes on") {
    val two  = at(5, id("eu", "orders", 1) -> PartitionOffset(0, 7, 0))
    val both = Backlog.none.asks(two, report(10, 0 -> (0L -> 20L), 1 -> (0L -> 7L)))
    assertEquals(
      both.asks(two, report(30, 1 -> (0L -> 9L))).waiting(two).map(_.partitions.keySet.toSet).toVector,
      Vector(Set(0, 1))
    )
  }

  test("a new partition is seen for the first time, and so is a topic that was created again") {
    val before = Backlog.none.asks(at(20), upTo(10, 20))
    val grown  = at(20, id("eu", "orders", 1) -> PartitionOffset(0, 0, 0))
    val both   = report(40, 0 -> (0L -> 20L), 1 -> (0L -> 5L))
    assertEquals(before.asked(at(20), grown, both).since(grown), Some(40L))
    val again = offset(orders -> PartitionOffset(0, 0, 1))
    assertEquals(before.asked(at(20), again, upTo(40, 5)).since(again), Some(40L))
  }

  test("what the query is not to read does not wait: behind an end, behind a drain's target, or stopped") {
    def topic(change: TopicOffset => TopicOffset) = {
      val held = at(10)
      held.copy(clusters = held.clusters.transform((_, c) => c.copy(topics = c.topics.transform((_, t) => change(t)))))
    }
    val ended   = topic(_.copy(ends = SortedMap(0 -> 10L)))
    val drained = topic(_.copy(removal = Some(Removal.Draining(1, SortedMap(0 -> Drain.Until(10))))))
    val drains  = topic(_.copy(removal = Some(Removal.Draining(1, SortedMap(0 -> Drain.Until(12))))))
    val stopped = topic(_.copy(removal = Some(Removal.stopped(1))))
    assertEquals(
      Seq(ended, drained, drains, stopped).map(held => Backlog.none.asks(held, upTo(5, 20)).since(held)),
      Seq(None, None, Some(5L), None)
    )
    assertEquals(Backlog.none.asks(at(10), upTo(5, 20)).asked(at(10), stopped, silent).since(stopped), None)
  }

  test("what an open transaction holds back waits, too") {
    val held = (_: ClusterId, _: String) => Some(TopicReport(eu, 10, Map(0 -> Extent(0, 5, 9))))
    assertEquals(Backlog.none.asks(at(5), held).since(at(5)), Some(10L))
  }

  test("the worst partition of a topic counts") {
    val two  = at(20, id("eu", "orders", 1) -> PartitionOffset(0, 7, 0))
    val seen = Backlog.none.asks(two, report(10, 0 -> (0L -> 20L), 1 -> (0L -> 9L)))
      .asks(two, report(30, 0 -> (0L -> 25L), 1 -> (0L -> 9L))).read(times(id("eu", "orders", 1) -> 3))
    assertEquals(seen.since(two), Some(3L))
  }

  private def deleted(position: Long => Long): Backlog = (1 to 5).foldLeft(Backlog.none) { (seen, n) =>
    val held = at(position(n.toLong))
    seen.asks(held, report(n * hour, 0 -> (n * 100L -> 5000L)))
  }

  test("retention is expected to take what waits while it deletes and nothing is read") {
    assertEquals(deleted(_ => 1000).waiting(at(1000)).flatMap(_.lostAt).toVector, Vector(10 * hour))
  }

  test("what was read to the end meanwhile is in no danger, however close the oldest record is") {
    val caughtUp = (1 to 5).foldLeft(Backlog.none) { (seen, n) =>
      seen.asks(at(n * 100L), report(n * hour, 0 -> (n * 100L -> (n * 100L + 100))))
    }
    assertEquals(caughtUp.waiting(at(500)).flatMap(_.lostAt).toVector, Vector.empty)
    assertEquals(caughtUp.since(at(500)), Some(4 * hour))
  }
}
