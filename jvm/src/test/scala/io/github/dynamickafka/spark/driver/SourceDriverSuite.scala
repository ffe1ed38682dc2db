package io.github.dynamickafka.spark.driver

import java.time.{Clock, Duration, Instant}
import java.util.concurrent.atomic.AtomicReference

import scala.collection.immutable.{SortedMap, SortedSet}

import munit.FunSuite
import org.apache.kafka.common.KafkaException

import io.github.dynamickafka.spark.ask.{AskedClusters, ClusterAsks}
import io.github.dynamickafka.spark.driver.trigger.AdmissionControl
import io.github.dynamickafka.spark.driver.uncommitted.{DecisionStore, Deferrals}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ManualClock, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.kafka.admin.ClusterAdmins
import io.github.dynamickafka.spark.log.QueryEnvironment
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.metadata.FetchedTopology
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredJson, SourceOffset}
import io.github.dynamickafka.spark.options.{DiscoverySettings, ReadKind, SourceOptionsParser, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.poll.MetadataPoller
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.topology.Topology

/** What the driver does if no cluster answers. */
class SourceDriverSuite extends FunSuite {
  private val settings = SourceOptionsParser.settings(
    Map("metadataService" -> "yaml", "metadataService.path" -> "/none", "streamIds" -> "s"),
    ReadKind.Streaming
  )

  private val atStart = DiscoverySettings(None, None, Duration.ofSeconds(30))

  private def driver(topology: => Topology): SourceDriver = driver(_ => topology, fromEarliest)

  private def driver(
      topology: Set[ClusterId] => Topology,
      policy: ReconcilePolicy,
      uncommitted: UnreadableRangePolicy = UnreadableRangePolicy.Wait,
      decisions: DecisionStore = new InMemoryDecisionStore,
      clock: Clock = Clock.systemUTC,
      clusters: Option[AskedClusters] = None
  ): SourceDriver = {
    val poller = new MetadataPoller(
      asked => FetchedTopology(topology(asked), Set.empty),
      None,
      atStart,
      "test",
      QueryLog.unnamed,
      Clock.systemUTC,
      () => ()
    )
    val admins = new ClusterAdmins(
      (id, _) => throw new KafkaException(s"cluster $id is out of reach"),
      (id, _) => throw new KafkaException(s"cluster $id is out of reach"),
      Duration.ofSeconds(5),
      "test"
    )
    new SourceDriver(
      settings,
      policy,
      poller,
      new ClusterAsks(clusters.getOrElse(admins), Duration.ZERO, Clock.systemUTC, "test"),
      new AdmissionControl(None, Clock.systemUTC),
      new Deferrals(uncommitted, decisions, QueryLog.unnamed, Clock.systemUTC),
      QueryEnvironment(QueryLog.unnamed, clock)
    )
  }

  private val both  = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val start = Query(fromEarliest).sees(both)(
    "eu" -> answer("orders" -> has(0 -> 10)),
    "us" -> answer("orders" -> has(0 -> 7))
  ).read
  private val end = start.sees(both)(
    "eu" -> answer("orders" -> has(0 -> 15, 3 -> 4)),
    "us" -> answer("orders" -> has(0 -> 9))
  ).read

  private def records(driver: SourceDriver, offset: SourceOffset): Long =
    driver.deferred(offset).valuesIterator.map(_.records).sum

  private def planned(driver: SourceDriver): Vector[String] = driver.plan(start.held, end.held).map { range =>
    s"${range.id.cluster} ${range.id.topic} ${range.id.partition} ${range.from}-${range.until}"
  }

  test("executors get the connections of the clusters that the batch reads, and no others") {
    val asks = driver(listed("eu" -> topics(), "us" -> topics("orders"), "asia" -> topics("orders")))
    asks.plan(start.held, end.held): Unit
    assertEquals(asks.remembered.connections.keySet.map(_.value), Set("asia", "eu", "us"))
    assertEquals(asks.connectionsOfBatch.keySet.map(_.value), Set("eu", "us"))
  }

  test("executors get Kafka's ids of the clusters that the batch reads, as the batch was planned with them") {
    val asks = driver(listed("eu" -> topics("orders"), "us" -> topics("orders")))
    assertEquals(asks.kafkaIdsOfBatch, Map.empty[ClusterId, String])
    val ids = end.held.copy(clusters = end.held.clusters.transform {
      case (ClusterId("eu"), cluster) => cluster.copy(kafkaId = Some("kafka-eu"))
      case (_, cluster)               => cluster.copy(kafkaId = None)
    })
    asks.plan(start.held, ids): Unit
    assertEquals(asks.kafkaIdsOfBatch, Map(ClusterId("eu") -> "kafka-eu"))
  }

  test("executors get Kafka's id of a cluster that stands in, as it answered, though nothing is held of it yet") {
    val clusters = new ScriptedClusters
    clusters.now("new", answer("orders" -> has(0 -> 15, 3 -> 4)).of("K2"))
    clusters.now("us", answer("orders" -> has(0 -> 9)).of("K3"))
    val moved = listed("new" -> topics("orders").continuing("eu"), "us" -> topics("orders"))
    val here  = driver(_ => moved, fromEarliest, clusters = Some(clusters))
    assertEquals(planned(here).size, 3)
    assertEquals(here.kafkaIdsOfBatch, Map(ClusterId("eu") -> "K2"))
    here.close()
  }

  test("what a batch reads needs no answer of a cluster, and is the same whatever the topology says by now") {
    val expected = Vector("eu orders 0 10-15", "eu orders 1 3-4", "us orders 0 7-9")
    val later    = listed("eu" -> topics(), "us" -> topics("others"), "asia" -> topics("orders"))
    for (topology <- Seq(both, later)) {
      val here = driver(topology)
      for (_ <- 1 to 2) assertEquals(planned(here), expected)
      here.close()
    }
  }

  test("a batch that needs a cluster which is not listed fails with the cluster and its ranges, and no others") {
    val here    = driver(listed("us" -> topics("orders")))
    val failure = intercept[DynamicKafkaException](here.plan(start.held, end.held))
    assertEquals(failure.condition, Condition.ClusterNotListed: Condition)
    for (part <- Seq("cluster eu", "10 until 15", "3 until 4", "topics: []", "unreadableRangePolicy=defer"))
      assert(failure.getMessage.contains(part), failure.getMessage)
    assert(!failure.getMessage.contains("7 until 9"), failure.getMessage)
    here.close()
  }

  private val defer = UnreadableRangePolicy.Defer

  test("what can't be read now is deferred for good, and is still to be read in the next offset, logged at once") {
    val kept  = new InMemoryDecisionStore
    val first = driver(_ => both, skipping, defer, kept)
    assertEquals(planned(first), Vector.empty)
    assertEquals(DeferredJson.read(kept.read().get, "kept").records(end.held), 8L)
    first.close()
    // A later start follows the decision, though its option is `wait` now, and fails only for what it finds itself.
    val later = driver(_ => both, skipping, UnreadableRangePolicy.Wait, kept)
    assertEquals(planned(later), Vector.empty)
    val next = later.latest(end.held, ReadLimits.everything)
    assertEquals(
      positions(next),
      Vector("eu orders 0 [10,10,1]", "eu orders 1 [3,3,1]", "us orders 0 [7,7,1]")
    )
    assertEquals(later.plan(end.held, next), Vector.empty)
    assertEquals((records(later, end.held), records(later, next)), (8L, 8L))
    assertEquals(later.remembered.known.horizon.valuesIterator.sum, 15L + 4L + 9L)
    later.close()
  }

  private val open = listed("eu" -> topics("orders").unresolved, "us" -> topics("orders"))

  test("what an uncommitted batch reads of a cluster whose properties can't be resolved is deferred for this reason") {
    val kept = new InMemoryDecisionStore
    val here = driver(_ => open, skipping, defer, kept)
    assertEquals(planned(here), Vector.empty)
    assertEquals(DeferredJson.read(kept.read().get, "kept").records(end.held), 8L)
    here.close()
  }

  test("where nothing may be deferred, such a batch fails with the placeholder, its ranges and what to do") {
    for (policy <- Seq(fromEarliest, skipping)) {
      val here    = driver(_ => open, policy)
      val failure = intercept[DynamicKafkaException](here.plan(start.held, end.held))
      assertEquals(failure.condition, Condition.AuthenticationFailed: Condition)
      for (part <- Seq("${file:/secret}", "10 until 15", "3 until 4"))
        assert(failure.getMessage.contains(part), failure)
      assert(!failure.getMessage.contains("7 until 9"), failure.getMessage)
      here.close()
    }
  }

  test("under unavailableClusterPolicy=fail only what is listed no more is deferred") {
    val here = driver(_ => listed("us" -> topics("orders")), fromEarliest, defer)
    assertEquals(planned(here), Vector("us orders 0 7-9"))
    here.close()
  }

  test("the offset that holds what was deferred holds what else has changed") {
    val here = driver(_ => Topology.empty, fromEarliest, defer)
    assertEquals(planned(here), Vector.empty)
    val next = here.latest(end.held, ReadLimits.everything)
    assertEquals(positions(next), Vector("eu orders 0 [10,10,1]", "eu orders 1 [3,3,1]", "us orders 0 [7,7,1]"))
    assertEquals(next.clusters.values.flatMap(_.topics.values).map(_.removal.isDefined).toVector, Vector(true, true))
    here.close()
  }

  test("what was deferred is remembered until it is read, and no longer") {
    val kept = new InMemoryDecisionStore
    val here = driver(_ => both, skipping, defer, kept)
    here.plan(start.held, end.held)
    val next = here.latest(end.held, ReadLimits.everything)
    val read = next.moved(end.held.partitions.map { case (id, position) => id -> position.next }.toMap)
    for (offset <- Seq(end.held, next)) {
      here.committed(offset)
      assert(kept.read().isDefined)
    }
    // Spark never reports the last batch of a run as committed: the next start finds out.
    here.close()
    val last = driver(_ => both, skipping, defer, kept)
    last.latest(read, ReadLimits.everything)
    assertEquals((kept.read(), records(last, read)), (Some(DeferredJson.write(Deferred.nothing)), 0L))
    last.close()
  }

  test("who reports the query knows what an uncommitted batch reads, and what it deferred until that is read") {
    val here = driver(_ => both, skipping, defer)
    here.plan(start.held, end.held): Unit
    assertEquals(here.view.state.finished.map(_.offset), Some(start.held))
    assertEquals(
      here.view.state.finished.map(_.uncommitted.map { case (id, n) => id.value -> n }),
      Some(Map("eu" -> 6L, "us" -> 2L))
    )
    val next = here.latest(end.held, ReadLimits.everything)
    assertEquals(
      here.view.state.finished.map(at => at.offset -> at.uncommitted),
      Some(end.held -> Map.empty[ClusterId, Long])
    )
    assertEquals(here.view.deferred.map { case (id, n) => id.value -> n }, Map("eu" -> 6L, "us" -> 2L))
    here.latest(
      next.moved(end.held.partitions.map { case (id, at) => id -> at.next }.toMap),
      ReadLimits.everything
    ): Unit
    assertEquals(here.view.deferred, Map.empty[ClusterId, Long])
    here.close()
  }

  private val unknown = Topology(SortedMap.empty, SortedSet(StreamId("s")))

  test("an id that the service does not know is an error at the first start, which names it") {
    val here    = driver(unknown)
    val failure = intercept[DynamicKafkaException](here.latest(SourceOffset.initial, ReadLimits.everything))
    assertEquals(failure.condition, Condition.StreamNotFound: Condition)
    assert(failure.getMessage.contains("stream s"), failure.getMessage)
    here.close()
  }

  test("later, an id that the service does not know any more is a removal, and no error") {
    val here = driver(unknown)
    val next = here.latest(end.held, ReadLimits.everything)
    assertEquals(ranges(end.held, next), Vector.empty)
    assertEquals(next.topics.map(_._3.removal.isDefined).toVector, Vector(true, true))
    here.close()
  }

  test("the first fetch of each start must succeed, also on a checkpoint") {
    val here    = driver(throw new IllegalStateException("no catalogue"))
    val failure = intercept[DynamicKafkaException](here.latest(end.held, ReadLimits.everything))
    assertEquals(failure.condition, Condition.MetadataUnavailable: Condition)
    here.close()
  }

  test("whether a cluster is active is asked of what drains where it is not listed, and of no other that is held") {
    val drained = start.sees(listed("us" -> topics("orders")))(
      "eu" -> answer("orders" -> has(0 -> 10)),
      "us" -> answer("orders" -> has(0 -> 7))
    ).read
    for ((policy, expected) <- Seq(fromEarliest -> Set("us"), stopping -> Set.empty[String])) {
      val asked = new AtomicReference(Set.empty[String])
      val here  = driver(ids => { asked.set(ids.map(_.value)); Topology.empty }, policy)
      here.latest(drained.held, ReadLimits.everything)
      assertEquals(asked.get, expected)
      here.close()
    }
  }

  test("clusters that had nothing to read are asked again after the least time, also where the clock was set back") {
    val clock                    = new ManualClock(Instant.EPOCH.plus(Duration.ofDays(1)))
    val here                     = driver(_ => both, skipping, clock = clock)
    def asked(): Option[Instant] = {
      assertEquals(here.latest(end.held, ReadLimits.everything), end.held)
      here.remembered.last.map(_.at)
    }
    val first = asked()
    clock.advance(settings.clusters.pollInterval.minusMillis(1))
    assertEquals(asked(), first)
    for (step <- Seq(Duration.ofMillis(1), Duration.ofHours(-1))) {
      clock.advance(step)
      assertEquals(asked(), Some(clock.instant))
    }
    here.close()
  }

  test("nothing is asked before the first call") {
    driver(fail("the service is asked")).close()
  }
}
