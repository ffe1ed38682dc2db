package io.github.dynamickafka.spark.driver.uncommitted

import java.time.{Clock, Duration}
import java.util.concurrent.atomic.AtomicReference

import munit.FunSuite

import io.github.dynamickafka.spark.ask.ClusterAsks
import io.github.dynamickafka.spark.driver.memory.DriverState
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.OffsetRanges
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** From where a batch left over is read, by what the clusters answer when the query starts. */
class StandInAnswersSuite extends FunSuite {
  private val orders = topics("orders")
  private val next   = orders.continuing("eu")
  private val both   = listed("eu" -> orders, "new" -> next)
  private val moved  = listed("new" -> next)
  private val eu     = answer("orders" -> has(0 -> 10).of("T1")).of("K1")
  private val mirror = answer("orders" -> has(0 -> 10).of("T9")).of("K2")
  private val behind = answer("orders" -> has(0 -> 8).of("T9")).of("K2")
  private val stood  = Query(fromEarliest).sees(both)("eu" -> eu, "new" -> mirror).read.held

  private class Start(
      topology: Topology,
      uncommitted: UnreadableRangePolicy = UnreadableRangePolicy.Wait,
      policy: ReconcilePolicy = skipping
  ) {
    val clusters = new ScriptedClusters
    clusters.now("eu", eu)
    clusters.now("new", mirror)
    private val connections = topology.clusters.map { case (id, _) => id -> ConnectionSettings.none }.toMap
    private val state       = new AtomicReference(DriverState(topology = Some(topology), connections = connections))
    private val asks        = new ClusterAsks(clusters, Duration.ZERO, Clock.systemUTC, "test")
    private val deferrals   = new Deferrals(uncommitted, new InMemoryDecisionStore, QueryLog.unnamed, Clock.systemUTC)
    private val reads       =
      new UncommittedReading(
        policy,
        asks,
        deferrals,
        _ => (),
        () => None,
        settings,
        QueryLog.unnamed
      )
    private val batch = OffsetRanges.between(SourceOffset.initial, stood)

    private def settings = SourceOptionsParser.settings(
      Map("metadataService" -> "yaml", "metadataService.path" -> "/none", "streamIds" -> "s"),
      ReadKind.Streaming
    ).clusters

    def plan(): Vector[String] = {
      reads.decide(state.get, None, batch, stood)
      val taken = reads.of(state.get, None, batch, stood)
      state.set(taken.state)
      taken.result.fold(failure => throw failure.exception, identity).map { range =>
        s"${reads.standIns.reader(range.id.cluster)} ${range.from}-${range.until}"
      }
    }

    def failure(): DynamicKafkaException = intercept[DynamicKafkaException](plan())

    /** How many records of the batch it defers. */
    def givesBack(): Long = {
      reads.decide(state.get, None, batch, stood)
      left
    }

    /** How many records of the batch whoever reads on begins with. */
    def left: Long = deferrals.unread(stood).valuesIterator.map(_.records).sum
  }

  test("one that stands by is not asked while the cluster itself answers: down, it delays no start") {
    val start = new Start(both)
    assertEquals(start.plan(), Vector("eu 0-10"))
    assert(!start.clusters.asked.contains("new"))
  }

  test("a standby is asked, and read, if the cluster itself does not answer") {
    val start = new Start(both)
    start.clusters.now("eu", down)
    assertEquals(start.plan(), Vector("new 0-10"))
  }

  test("another Kafka cluster behind the id of the one that stands in is not read") {
    val start = new Start(moved)
    start.clusters.now("new", answer("orders" -> has(0 -> 10).of("T9")).of("K7"))
    val failure = start.failure()
    assertEquals(failure.condition, Condition.ClusterChanged: Condition)
    assert(failure.getMessage.contains("cluster new"), failure.getMessage)
  }

  test("a mirror that does not have the topic is behind: that is no loss") {
    val start = new Start(moved, policy = skipping.copy(agreement = Duration.ofMillis(300)))
    start.clusters.now("new", answer("orders" -> absent).of("K2"))
    val failure = start.failure()
    assertEquals(failure.condition, Condition.MirrorBehind: Condition)
    assert(failure.getMessage.contains("read up to 10, mirrored up to 0"), failure.getMessage)
  }

  private val ended = next.startingAt("""{"orders":{"0":8}}""")

  test("where mirroring ended, nothing is given up of a cluster that still lists the topic and does not answer now") {
    val start = new Start(listed("eu" -> orders, "new" -> ended))
    start.clusters.now("eu", down)
    start.clusters.now("new", behind)
    val failure = start.failure()
    assertEquals(failure.condition, Condition.ClusterUnreachable: Condition)
    for (part <- Seq("no answer", "new", "up to 8", "up to 10", "remove it", "startingOffsets"))
      assert(failure.getMessage.contains(part), s"$part: ${failure.getMessage}")
    assertEquals(start.left, 0L)
    start.clusters.now("eu", eu)
    assertEquals(new Start(listed("eu" -> orders, "new" -> ended)).plan(), Vector("eu 0-10"))
  }

  test("a batch of a topic that is no longer listed under the old id is read up to where mirroring ended") {
    for (topology <- Seq(listed("new" -> ended), listed("eu" -> topics(), "new" -> ended))) {
      val start = new Start(topology)
      start.clusters.now("eu", down)
      start.clusters.now("new", behind)
      assertEquals(start.plan(), Vector("new 0-8"))
      assertEquals(start.left, 2L)
    }
  }

  private def defers(topology: Topology, said: ClusterObservation): Long = {
    val start = new Start(topology, UnreadableRangePolicy.Defer, fromEarliest)
    start.clusters.now("eu", down)
    start.clusters.now("new", said)
    start.givesBack()
  }

  test("what is read from another id goes back only if neither id is needed") {
    assertEquals(defers(moved, down), 0L)
    assertEquals(defers(listed("new" -> next.inactive), down), 10L)
    assertEquals(defers(listed("eu" -> orders, "new" -> next.inactive), down), 0L)
    assertEquals(defers(listed("eu" -> orders.inactive, "new" -> next.inactive), down), 10L)
  }

  test("what a mirror lacks goes back, unless the old id is needed: a mirror that is behind answers") {
    assertEquals(defers(moved, behind), 10L)
    assertEquals(defers(both, behind), 0L)
  }
}
