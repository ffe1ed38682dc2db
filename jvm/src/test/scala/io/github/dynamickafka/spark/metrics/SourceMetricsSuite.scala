package io.github.dynamickafka.spark.metrics

import java.time.Instant

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.ask.ClusterSurvey
import io.github.dynamickafka.spark.backlog.{Backlog, Deletions, PartitionBacklog}
import io.github.dynamickafka.spark.driver.memory.{DriverState, LastStep}
import io.github.dynamickafka.spark.driver.report.MissingStreams
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.fakes.Situations
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap, StreamId}
import io.github.dynamickafka.spark.offsets.{Drain, PartitionOffset, Removal, SourceOffset}
import io.github.dynamickafka.spark.reconcile.Reconciled
import io.github.dynamickafka.spark.reconcile.observed.{LastKnown, ReadObstacle}
import io.github.dynamickafka.spark.reconcile.report.{Notice, SkippedTopics}
import io.github.dynamickafka.spark.topology.Topology

/** The metrics that follow from the last step. Leaves out those that need a running driver: discovery, rates and times.
  */
class SourceMetricsSuite extends munit.FunSuite {
  private val (orders, refunds) = (id("a", "orders", 0), id("a", "refunds", 0))
  private val before            = offset(orders -> PartitionOffset(0, 5, 0), refunds -> PartitionOffset(0, 7, 0))

  private def removed(topic: String, target: Long): SourceOffset = {
    val held    = before.clusters(ClusterId("a"))
    val removal = Removal.Draining(at = 1, SortedMap(0 -> Drain.Until(target)))
    val topics  = held.topics.updated(topic, held.topics(topic).copy(removal = Some(removal)))
    before.copy(clusters = before.clusters.updated(ClusterId("a"), held.copy(topics = topics)))
  }

  private def metrics(known: SourceOffset, consumed: SourceOffset, notices: Notice*): Map[String, String] =
    figures(known, consumed, DriverState(), notices: _*).texts

  private def figures(
      known: SourceOffset,
      consumed: SourceOffset,
      state: DriverState,
      notices: Notice*
  ): ClusterFigures = on(Topology.empty, known, consumed, state, notices: _*)

  private def on(
      topology: Topology,
      known: SourceOffset,
      consumed: SourceOffset,
      state: DriverState,
      notices: Notice*
  ): ClusterFigures = {
    val step = LastStep(
      before,
      ClusterSurvey(topology, Map.empty, Map.empty, Instant.EPOCH),
      Reconciled(known, urgent = false, PartitionMap.empty, notices.toVector),
      quiet = true
    )
    ClusterFigures.of(step, state.copy(last = Some(step)), Some(consumed), Map.empty)
  }

  test("a removal counts at once, though no batch has recorded it yet") {
    val draining = metrics(removed("refunds", 9), before)
    assertEquals(draining.get("cluster.a.state"), Some("draining"))
    assertEquals(draining.get("activeSplitCount"), Some("2"))
  }

  test("what a batch has read since the last step counts, too") {
    val drained = metrics(removed("refunds", 9), removed("refunds", 9).moved(Map(refunds -> 9L)))
    assertEquals(drained.get("cluster.a.state"), None)
    assertEquals(drained.get("kafkaClustersCount"), Some("0"))
  }

  private val eu = ClusterId("a")

  test("the cause of a cluster that is not read as it should be is its condition and text, and is gone with it") {
    val down   = Notice.Unavailable(eu, Failure(Condition.ClusterUnreachable, "no answer"))
    val listed = removed("refunds", 9)
    assertEquals(
      metrics(listed, before, down).get("cluster.a.cause"),
      Some("[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] no answer")
    )
    assertEquals(metrics(listed, before).get("cluster.a.cause"), None)
  }

  test("what is skipped and what is missing have a cause, too, of a bounded length") {
    val held  = SkippedTopics(eu, SortedMap("orders" -> ReadObstacle.hidden))
    val cause = metrics(
      removed("refunds", 9),
      before,
      Notice.TopicsSkipped(held, held.failure.get),
      Notice.MissingTopic(eu, "later")
    )("cluster.a.cause")
    for (part <- Seq("[DYNAMIC_KAFKA_NOT_AUTHORIZED]", "DESCRIBE and READ on topic orders", "Topic later"))
      assert(cause.contains(part), cause)
    assertEquals(
      metrics(removed("refunds", 9), before, Notice.MissingTopic(eu, "later"), Notice.MissingTopic(eu, "also"))
        .view.filterKeys(_.startsWith("missingTopic")).toMap,
      Map("missingTopics" -> "2", "missingTopicNames" -> "a: also, later")
    )
    val long = Notice.Unavailable(eu, Failure(Condition.ClusterUnreachable, "x" * 100000))
    assert(metrics(removed("refunds", 9), before, long)("cluster.a.cause").length < 1100)
  }

  test("a stream that the metadata no longer has is named, and is the cause why its clusters drain") {
    val gone  = Topology(SortedMap.empty, SortedSet(StreamId("s"), StreamId("r")))
    val shown = on(gone, removed("refunds", 9), before, DriverState()).texts
    val cause = shown("cluster.a.cause")
    assertEquals(
      shown.view.filterKeys(_.startsWith("missingStream")).toMap,
      Map("missingStreams" -> "2", "missingStreamNames" -> "r, s")
    )
    assert(
      cause.startsWith("[DYNAMIC_KAFKA_STREAM_NOT_FOUND] The metadata has no stream s, which streamIds names."),
      cause
    )
    assert(!cause.contains("cluster a"), s"it is not the same text for each cluster: $cause")
    val warned = MissingStreams.warning(gone).fold("")(_.toString)
    assert(warned.contains("The metadata has no stream r, s, which streamIds names. So all"), warned)
    val there = metrics(removed("refunds", 9), before)
    assertEquals(there.view.filterKeys(_.startsWith("missingStream")).toMap, Map("missingStreams" -> "0"))
    val other = on(Topology(SortedMap.empty, SortedSet(StreamId("r"))), removed("refunds", 9), before, DriverState())
    assertEquals(other.texts.get("cluster.a.cause"), None)
  }

  test("how far behind it is has the least, the most and the mean of the partitions that are read") {
    val horizon                        = PartitionMap.from(Map(orders -> 7L, refunds -> 11L))
    val known                          = LastKnown.nothing.copy(horizon = horizon)
    val listed                         = Situations.listed("a" -> Situations.topics("orders", "refunds"))
    def spread(consumed: SourceOffset) = on(listed, before, consumed, DriverState(known = known)).texts.collect {
      case (name, value) if name.endsWith("OffsetsBehindLatest") => name.take(3) -> value
    }.toMap
    assertEquals(spread(before), Map("min" -> "2", "max" -> "4", "avg" -> "3.0"))
    assertEquals(spread(before.moved(horizon.toMap)), Map("min" -> "0", "max" -> "0", "avg" -> "0.0"))
  }

  test("of a cluster that has not answered since the start no time is known, unless records are known to wait") {
    val down                  = Notice.Unavailable(eu, Failure(Condition.ClusterUnreachable, "no answer"))
    def all(backlog: Backlog) = figures(removed("refunds", 9), before, DriverState(backlog = backlog), down)
    def lag(backlog: Backlog) =
      (all(backlog).texts ++ all(backlog).delays.at(Instant.ofEpochMilli(1500))).get("cluster.a.timeLag")
    assertEquals(lag(Backlog.none), None)
    assertEquals(all(Backlog.none).texts.get("cluster.a.secondsToCatchUp"), None)
    assertEquals(lag(Backlog(answered = Map(eu -> 1000L))), Some("0"))
    assertEquals(lag(Backlog(PartitionMap.from(Map(orders -> unread(9, 1000))))), Some("500"))
    assertEquals(metrics(removed("refunds", 9), before).get("cluster.a.timeLag"), Some("0"))
  }

  private def unread(end: Long, since: Long, lostAt: Option[Long] = None): PartitionBacklog =
    PartitionBacklog(end, asked = since, first = since, caughtUpAt = None, lastTime = None, Deletions(0), lostAt)

  private def timed(backlog: Backlog, consumed: SourceOffset, millis: Long): Map[String, String] = {
    val all = figures(removed("refunds", 99), consumed, DriverState(backlog = backlog))
    (all.texts ++ all.delays.at(Instant.ofEpochMilli(millis))).view.filterKeys(_.startsWith("cluster.a.")).toMap
  }

  test("the time lag is that of the worst partition, goes on with the clock, and is 0 once all is read") {
    val behind = Backlog(PartitionMap.from(Map(orders -> unread(9, 1000), refunds -> unread(9, 400))))
    assertEquals(timed(behind, before, 1500).get("cluster.a.timeLag"), Some("1100"))
    assertEquals(timed(behind, before, 9999).get("cluster.a.timeLag"), Some("9599"))
    val read = removed("refunds", 99).moved(Map(refunds -> 9L))
    assertEquals(timed(behind, read, 1500).get("cluster.a.timeLag"), Some("500"))
    assertEquals(timed(behind, read.moved(Map(orders -> 9L)), 1500).get("cluster.a.timeLag"), Some("0"))
  }

  test("what retention is about to take has a time and a cause, and neither if it is far away or nothing is known") {
    def aged(at: Option[Long]) = timed(Backlog(PartitionMap.from(Map(orders -> unread(9, 0, at)))), before, 1000)
    assertEquals(aged(Some(61000)).get("cluster.a.secondsToRetention"), Some("60"))
    assert(aged(Some(61000))("cluster.a.cause").contains("[DYNAMIC_KAFKA_DATA_LOSS]"), aged(Some(61000)))
    assertEquals(aged(Some(90000000)).get("cluster.a.secondsToRetention"), Some("89999"))
    assertEquals(aged(Some(90000000)).get("cluster.a.cause"), None)
    assertEquals(
      aged(None).keySet.filter(name => name.contains("Retention") || name.contains("cause")),
      Set.empty[String]
    )
  }

  test("why the times of a cluster's records can't be read is its cause") {
    val untimed = DriverState(untimed = Map(eu -> Failure(Condition.NotAuthorized, "no READ")))
    assertEquals(
      figures(removed("refunds", 9), before, untimed).texts.get("cluster.a.cause"),
      Some("[DYNAMIC_KAFKA_NOT_AUTHORIZED] no READ")
    )
  }
}
