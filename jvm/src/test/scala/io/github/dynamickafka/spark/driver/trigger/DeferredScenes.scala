package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.deferral.{Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.driver.memory.LastStep
import io.github.dynamickafka.spark.fakes.{ManualClock, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.metrics.{ClusterCause, ClusterState}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.topology.Topology

/** A query with `defer`, and a cluster `us` that answers the driver and gives tasks nothing. */
trait DeferredScenes extends StepScenes {
  protected val us = ClusterId("us")

  /** The batch is read, but for what it reads of `us`. */
  protected def runs(
      here: SourceDriver,
      from: SourceOffset,
      until: SourceOffset,
      stands: PartitionId => Boolean = _.cluster == us,
      takes: Int = 0
  ): Unit = {
    val all = here.plan(from, until).zipWithIndex.map { case (range, number) =>
      if (stands(range.id)) TakenRange(number, range.from + takes, Some(Standstill(10000, tookAny = takes > 0)))
      else TakenRange(number, range.until)
    }
    val batch = here.running
    if (all.nonEmpty)
      assertEquals(
        batch.answers(Vector(batch.number -> TaskReport(all)), now = 20000),
        Vector[Verdict](Verdict.Ends)
      )
  }

  /** A query with `defer` that is triggered after some seconds. `eu` and `us` get a record before each trigger. */
  protected class Again(policy: ReconcilePolicy = skipping, metadata: () => Topology = () => both) {
    val kafka         = new ScriptedClusters
    val clock         = new ManualClock(begin)
    private val here  = new OpenedDriver(policy, kafka, metadata, UnreadableRangePolicy.Defer, clock = clock)
    val driver        = here.driver
    private var until = 10
    private var at    = start

    def offset: SourceOffset = at
    def last: LastStep       = driver.remembered.last.get
    def state: String        = ClusterState.of(last, at).get(us).fold("removed")(_.name)
    def cause: String        = ClusterCause.of(last, driver.remembered, at).getOrElse(us, "")
    def lag: Long = driver.remembered.known.horizon.of(us).map { case (id, end) => end - at.get(id).get.next }.sum

    /** The ranges of one batch. */
    def batch(stands: PartitionId => Boolean = _.cluster == us, after: Int = 1): Vector[String] = {
      until += 1
      Seq("eu", "us").foreach(kafka.now(_, answer("orders" -> has(0 -> until, 0 -> until))))
      triggered(stands, after)
    }

    /** @param takes how many records come of each range that stands still */
    def triggered(
        stands: PartitionId => Boolean = _.cluster == us,
        after: Int = 1,
        takes: Int = 0,
        limits: ReadLimits = ReadLimits.everything
    ): Vector[String] = {
      clock.advance(Duration.ofSeconds(after.toLong))
      val next = driver.latest(at, limits)
      runs(driver, at, next, stands, takes)
      val read = ranges(at, next)
      at = next
      read
    }

    /** The metadata is fetched anew. */
    def fetched(): Unit = here.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
  }

  protected def triggers(policy: ReconcilePolicy = skipping, metadata: () => Topology = () => both)(
      body: Again => Unit
  ): Unit = {
    val query = new Again(policy, metadata)
    try body(query)
    finally query.driver.close()
  }
}
