package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration
import java.util.concurrent.TimeUnit

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.BatchKind
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** An unplanned fail-over: one change of the metadata takes the old cluster off and lists its mirror. The mirror ends below the
  * position in its first answer, and producers fill the gap a second later.
  */
class MirrorSeenBehindSuite extends FunSuite with StepScenes {
  private val eu     = listed("eu" -> topics("orders"))
  private val mirror = listed("us" -> topics("orders").continuing("eu"))
  private val before = answer("orders" -> has(0 -> 500))
  private val behind = answer("orders" -> has(0 -> 490))
  private val filled = answer("orders" -> has(0 -> 510))

  final private class Opened(kind: BatchKind) {
    val clusters                   = new ScriptedClusters
    @volatile private var metadata = eu
    clusters.now("eu", before)
    clusters.now("us", behind)
    private val opened =
      new OpenedDriver(skipping.copy(batches = kind), clusters, () => metadata, begun = new InMemoryDecisionStore)
    val driver = opened.driver

    def next(topology: Topology): Unit = {
      metadata = topology
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }

    def isBehind: Boolean = driver.remembered.last.exists(_.reconciled.notices.exists {
      case found: Notice.MirrorBehind => found.cluster.value == "us"
      case _                          => false
    })
  }

  private def using(kind: BatchKind)(body: Opened => Unit): Unit = {
    val here = new Opened(kind)
    try body(here)
    finally here.driver.close()
  }

  test("control: with micro-batches it stays held") {
    using(BatchKind.Planned) { here =>
      val read = here.driver.latest(SourceOffset.initial, ReadLimits.everything)
      here.next(mirror)
      val held = here.driver.latest(read, ReadLimits.everything)
      assert(here.isBehind)
      here.clusters.now("us", filled)
      val later = here.driver.latest(held, ReadLimits.everything)
      assertEquals(here.isBehind -> ranges(held, later), true -> Vector.empty[String])
    }
  }

  test("in Real-Time Mode it stays held") {
    using(BatchKind.RealTime) { here =>
      val live = new RealTimeDriver(here.driver, here.driver.environment, "test", _ => ())
      def begins(from: SourceOffset): Vector[String] = {
        live.latest(from): Unit
        live.plan(from).map(range => s"${range.id.cluster} ${range.id.partition} ${range.from}")
      }
      def ends(): SourceOffset = {
        live.ends(live.number, RealTimeReport(Vector(TakenPart(0, 500)))): Unit
        live.merged
      }
      def ending = live.says(live.number, RealTimeReport(Vector.empty)) == RealTimeAnswer.Ends
      try {
        assertEquals(begins(SourceOffset.initial), Vector("eu 0 0"))
        assertEquals(begins(ends()), Vector("eu 0 500"))
        here.next(mirror)
        val until = System.nanoTime + TimeUnit.SECONDS.toNanos(5)
        while (!ending && System.nanoTime < until) Thread.sleep(10)
        assert(ending)
        assert(here.clusters.asked.contains("us"), "it was not asked yet, so this test shows nothing")
        here.clusters.now("us", filled)
        val ranges = begins(ends())
        assertEquals(here.isBehind -> ranges, true -> Vector.empty[String])
      } finally live.close()
    }
  }
}
