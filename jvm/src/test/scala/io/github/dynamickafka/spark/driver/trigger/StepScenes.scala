package io.github.dynamickafka.spark.driver.trigger

import java.time.{Clock, Duration}
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

import munit.Assertions

import io.github.dynamickafka.spark.ask.{AskedClusters, CallOrder, ClusterAsks}
import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.driver.memory.LastStep
import io.github.dynamickafka.spark.driver.realtime.KeptBeginnings
import io.github.dynamickafka.spark.driver.uncommitted.{DecisionStore, Deferrals}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.log.QueryEnvironment
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.metadata.FetchedTopology
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.{
  DiscoverySettings,
  ReadKind,
  SourceOptionsParser,
  SourceSettings,
  UnreadableRangePolicy
}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.poll.MetadataPoller
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.Topology

/** The driver of one query on two clusters that are scripted. The metadata is fetched at the start, and then only when a
  * failure or the test needs it.
  */
trait StepScenes extends Assertions {
  protected val both    = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  protected val orders  = answer("orders" -> has(0 -> 10))
  protected val more    = answer("orders" -> has(0 -> 15))
  protected val refused = Failed(Failure(Condition.AuthenticationFailed, "refused"))
  protected val start   = Query(fromEarliest).sees(both)("eu" -> orders, "us" -> orders).read.held

  /** The driver of one query. The metadata is fetched at the start, and when something needs it. */
  protected class OpenedDriver(
      policy: ReconcilePolicy,
      clusters: AskedClusters,
      metadata: () => Topology,
      unreadable: UnreadableRangePolicy = UnreadableRangePolicy.Wait,
      store: DecisionStore = new InMemoryDecisionStore,
      admission: AdmissionControl = new AdmissionControl(None, Clock.systemUTC),
      clock: Clock = Clock.systemUTC,
      parsed: Option[SourceSettings] = None,
      options: Map[String, String] = Map.empty,
      begun: DecisionStore = DecisionStore.none
  ) {
    private val settings = parsed.getOrElse(SourceOptionsParser.settings(
      Map(
        "metadataService"       -> "yaml",
        "metadataService.path"  -> "/none",
        "streamIds"             -> "s",
        "brokerPollInterval"    -> "0s",
        "unreadableRangePolicy" -> unreadable.toString.toLowerCase
      ) ++ options,
      ReadKind.Streaming
    ))
    val poller = new MetadataPoller(
      _ => FetchedTopology(metadata(), Set.empty),
      None,
      DiscoverySettings(None, None, Duration.ofSeconds(30)),
      "test",
      QueryLog.unnamed,
      Clock.systemUTC,
      () => ()
    )
    val asks   = new ClusterAsks(clusters, Duration.ZERO, clock, "test")
    val driver = new SourceDriver(
      settings,
      policy,
      poller,
      asks,
      admission,
      new Deferrals(unreadable, store, QueryLog.unnamed, Clock.systemUTC),
      QueryEnvironment(QueryLog.unnamed, clock),
      new KeptBeginnings(begun)
    )
  }

  protected class Scene(policy: ReconcilePolicy = fromEarliest) {
    val clusters                           = new ScriptedClusters
    val fetches                            = new AtomicInteger
    @volatile var metadata: () => Topology = () => both
    private val opened                     =
      new OpenedDriver(policy, clusters, () => { fetches.incrementAndGet(); metadata() })
    import opened.{asks, poller}
    val driver: SourceDriver = opened.driver

    clusters.now("eu", orders)
    clusters.now("us", orders)
    assertEquals(latest(start), start)

    /** The metadata says this from the next trigger on. */
    def next(topology: Topology): Unit = {
      metadata = () => topology
      poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }

    def latest(held: SourceOffset): SourceOffset           = driver.latest(held, ReadLimits.everything)
    def ranges(held: SourceOffset = start): Vector[String] =
      io.github.dynamickafka.spark.fakes.Situations.ranges(held, latest(held))
    def failure(): Condition     = intercept[DynamicKafkaException](latest(start)).condition
    def unavailable: Set[String] = driver.remembered.last.fold(Set.empty[String])(_.reconciled.unavailable.map(_.value))

    /** What has failed is asked in the background. */
    def stepsUntil(seen: LastStep => Boolean): Unit = {
      val end = System.nanoTime + TimeUnit.SECONDS.toNanos(10)
      while (!driver.remembered.last.exists(seen) && System.nanoTime < end) {
        asks.rest(Duration.ofMillis(20))
        latest(start)
      }
      assert(driver.remembered.last.exists(seen), driver.remembered.last)
    }

    /** The cluster fails, and the other one has more records. */
    def fails(failed: Failed = down): Unit = {
      clusters.now("eu", failed)
      clusters.now("us", more)
    }
  }

  protected def scene(policy: ReconcilePolicy = fromEarliest)(body: Scene => Unit): Unit = {
    val here = new Scene(policy)
    try body(here)
    finally here.driver.close()
  }

  /** What is read if the first cluster is left out. */
  protected val usRead = Vector("us orders 0 10-15")
}
