package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicReference

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.driver.uncommitted.DecisionStore
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.{BatchKind, ReconcilePolicy}
import io.github.dynamickafka.spark.topology.Topology

/** Queries in Real-Time Mode, over clusters that are scripted. Tasks are reports. */
trait LiveScenes extends StepScenes { self: FunSuite =>
  protected val alone: Topology = listed("eu" -> topics("orders"))

  protected def realTime(policy: ReconcilePolicy = skipping): ReconcilePolicy =
    policy.copy(batches = BatchKind.RealTime)

  /** Clusters `eu` and `us`, with ten records each. */
  protected def healthy: ScriptedClusters = {
    val clusters = new ScriptedClusters
    clusters.now("eu", orders)
    clusters.now("us", orders)
    clusters
  }

  protected class Live(
      val clusters: ScriptedClusters,
      first: Topology = alone,
      policy: ReconcilePolicy = realTime(),
      store: DecisionStore = new InMemoryDecisionStore,
      options: Map[String, String] = Map.empty
  ) {
    val shown                      = new AtomicReference(Option.empty[SourceOffset])
    @volatile private var metadata = first
    private val opened = new OpenedDriver(policy, clusters, () => metadata, begun = store, options = options)
    val driver         = opened.driver
    val live           = new RealTimeDriver(driver, driver.environment, "test", reached => shown.set(Some(reached)))

    /** So says the next fetch. */
    def lists(topology: Topology): Unit = metadata = topology

    def next(topology: Topology): Unit = {
      lists(topology)
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }

    /** A batch begins there: what it reads. */
    def begins(from: SourceOffset): Vector[String] = {
      live.latest(from): Unit
      live.plan(from).map(range => s"${range.id.cluster} ${range.id.partition} ${range.from}")
    }

    def says(parts: TakenPart*): RealTimeAnswer = live.says(live.number, RealTimeReport(parts.toVector))

    /** A task says that it reads no more of `eu`. */
    def fails(why: ReaderFailure, parts: TakenPart*): Unit =
      live.says(live.number, RealTimeReport(parts.toVector, Map(ClusterId("eu") -> why))): Unit

    def ends(parts: TakenPart*): SourceOffset = {
      assertEquals(live.ends(live.number, RealTimeReport(parts.toVector)), RealTimeAnswer.Ends: RealTimeAnswer)
      live.merged
    }

    def within(millis: Long)(claim: => Boolean): Boolean = {
      val end = System.nanoTime + TimeUnit.MILLISECONDS.toNanos(millis)
      while (!claim && System.nanoTime < end) Thread.sleep(10)
      claim
    }

    /** The driver has looked since: a look that runs already may be from before. */
    def looks(): Unit = (1 to 2).foreach { _ =>
      val last = shown.get
      assert(within(8000)(!(shown.get eq last)), "the driver does not look")
    }

    def endsEarly(millis: Long = 3000): Boolean = within(millis)(says() == RealTimeAnswer.Ends)

    def unavailable: Boolean = driver.remembered.last.exists(_.reconciled.unavailable(ClusterId("eu")))

    def close(): Unit = {
      live.close()
      driver.close()
    }
  }

  protected def using[L <: Live, A](live: L)(body: L => A): A =
    try body(live)
    finally live.close()
}
