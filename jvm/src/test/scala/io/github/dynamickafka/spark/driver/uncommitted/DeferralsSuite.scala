package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.deferral.ClusterDeferral
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ManualClock, Query}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.{
  Deferred,
  DeferredJson,
  MirrorFinding,
  MirrorFindings,
  MirrorLag,
  Removal,
  SourceOffset
}
import io.github.dynamickafka.spark.options.{RemovedClusterPolicy, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.OffsetRange

/** What is reported of what batches defer. */
class DeferralsSuite extends FunSuite {
  private val us   = ClusterId("us")
  private val both = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val end  = Query(fromEarliest).sees(both)(
    "eu" -> answer("orders" -> has(0 -> 10)),
    "us" -> answer("orders" -> has(0 -> 4000, 1 -> 9000))
  ).read.held

  private class Here(val store: InMemoryDecisionStore = new InMemoryDecisionStore) {
    val clock     = new ManualClock
    val deferrals = new Deferrals(UnreadableRangePolicy.Defer, store, QueryLog.unnamed, clock)

    def givesBack(batch: Long, number: Int, from: Long): Unit = {
      val id = partition("us", "orders", number)
      val at = OffsetRange(id, from, end.get(id).get.next, StreamId("s"))
      deferrals.decided(
        Some(batch),
        end,
        parts = Vector(UnreadableRange(at, Failure(Condition.ClusterUnreachable, "silent")))
      )
    }

    /** The next offset, at which all of it is unread. */
    def next: SourceOffset = deferrals.rewound(end, both, RemovedClusterPolicy.Drain, clock.instant()).get

    def said: Option[ClusterDeferral] = deferrals.last.get(us)
  }

  private def read(next: SourceOffset): SourceOffset = next.moved(end.partitions.map { case (id, at) =>
    id -> at.next
  }.toMap)

  private val text = "deferred in batch 12: 2 partitions of us, 12,000 records (DYNAMIC_KAFKA_CLUSTER_UNREACHABLE)"

  test("what a batch defers task by task is one deferral of the cluster, until all of it is read") {
    val here = new Here
    here.givesBack(12, number = 0, from = 1000)
    here.clock.advance(Duration.ofSeconds(2))
    here.givesBack(12, number = 1, from = 0)
    assertEquals(here.said.map(_.text(us)), Some(s"$text at 1970-01-01T00:00:00Z"))
    here.deferrals.finished(end)
    val next = here.next
    assertEquals(here.deferrals.unread(next).get(us).map(it => (it.partitions, it.records)), Some((2, 12000L)))
    here.deferrals.finished(next.moved(Map(partition("us", "orders", 0) -> 4000L)))
    assertEquals(here.said.flatMap(_.madeGood), None)
    here.clock.advance(Duration.ofSeconds(7))
    here.deferrals.finished(read(next))
    assertEquals(here.said.map(_.text(us)), Some(s"$text at 1970-01-01T00:00:00Z, made good at 1970-01-01T00:00:09Z"))
  }

  test("one that Spark reports as committed first is made good as well") {
    val here = new Here
    here.givesBack(12, number = 0, from = 3999)
    here.deferrals.finished(end)
    here.deferrals.committed(read(here.next))
    assertEquals(here.store.read(), Some(DeferredJson.write(Deferred.nothing)))
    assertEquals(
      here.said.map(one => (one.partitions, one.records, one.madeGood)),
      Some((1, 1L, Some(here.clock.instant())))
    )
  }

  test("a later batch that defers again takes the place of the earlier one") {
    val here = new Here
    here.givesBack(12, number = 0, from = 0)
    here.givesBack(14, number = 1, from = 8000)
    assertEquals(here.said.map(one => (one.batch, one.partitions, one.records)), Some((Some(14L), 1, 1000L)))
  }

  test("what is given up is not made good") {
    val here = new Here
    here.givesBack(12, number = 0, from = 0)
    here.deferrals.finished(end)
    val next    = here.next
    val cluster = next.clusters(us)
    // Its drain has ended before that.
    val topic = cluster.topics("orders").copy(removal = Some(Removal.stopped(1)))
    val ended = next.copy(clusters = next.clusters.updated(us, cluster.copy(topics = SortedMap("orders" -> topic))))
    here.deferrals.finished(ended)
    assertEquals((here.deferrals.unread(ended), here.said), (Map.empty[ClusterId, Deferred.Unread], None))
  }

  test("a later start counts what is not read yet, and no longer knows which batch gave it back") {
    val here = new Here
    here.givesBack(12, number = 0, from = 0)
    val later = new Here(here.store)
    val next  = later.next
    later.deferrals.finished(end)
    assertEquals(later.deferrals.unread(end).transform((_, left) => left.records), Map(us -> 4000L))
    later.deferrals.finished(read(next))
    assertEquals(later.said, None)
  }

  test("of a mirror that is found to be behind twice both findings count, also for the next start") {
    val (here, id)                       = (new Here, partition("us", "orders", 0))
    def found(end: Long, position: Long) =
      MirrorFindings.of(Seq(ClusterId("new") -> (id -> MirrorFinding(MirrorLag(end, position), 0))))
    assertEquals(here.deferrals.behind(found(5, 4000)), found(5, 4000))
    assertEquals(here.deferrals.behind(found(8, 4020)), found(5, 4000) ++ found(8, 4020))
    assertEquals(here.deferrals.behind(found(5, 4020)), found(5, 4020))
    assertEquals(here.deferrals.behind(found(6, 4010)), found(5, 4020))
    val later = new Here(here.store)
    later.deferrals.starts(end)
    assertEquals(later.deferrals.behind(MirrorFindings.none), found(5, 4020))
    // A start forgets it where the log was read on, or where the offset has it.
    def kept(logged: SourceOffset) = {
      val next = new Here(here.store)
      next.deferrals.starts(logged)
      next.deferrals.behind(MirrorFindings.none)
    }
    val has = found(5, 4020).marked(end)
    assertEquals(
      has.topic(us, "orders").map(_.behind),
      Some(SortedMap(ClusterId("new") -> SortedMap(0 -> MirrorLag(5, 4020))))
    )
    assertEquals(kept(end), found(5, 4020))
    assertEquals(kept(has), MirrorFindings.none)
    here.deferrals.makeSure()
    assertEquals(kept(end), MirrorFindings.none)
    new Here(here.store).deferrals.behind(found(5, 4020)): Unit
    assertEquals(kept(end.moved(Map(id -> 4021L))), MirrorFindings.none)
  }
}
