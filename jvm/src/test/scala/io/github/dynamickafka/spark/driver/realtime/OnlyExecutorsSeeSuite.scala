package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration
import java.util.concurrent.TimeUnit

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.{BatchKind, ReconcilePolicy}

/** In Real-Time Mode the executors reach another Kafka cluster under a known id, as with a wrong entry in their hosts file. The
  * driver reaches the right one.
  */
class OnlyExecutorsSeeSuite extends FunSuite with StepScenes {
  private val eu      = ClusterId("eu")
  private val changed = Map(eu -> ReaderFailure("DYNAMIC_KAFKA_CLUSTER_CHANGED", "another id", asks = true))

  final private class Live(policy: ReconcilePolicy) {
    val clusters = new ScriptedClusters
    clusters.now("eu", orders)
    clusters.now("us", orders)
    private val opened = new OpenedDriver(policy, clusters, () => both, begun = new InMemoryDecisionStore)
    val driver         = opened.driver
    val live           = new RealTimeDriver(driver, driver.environment, "test", _ => ())

    def begins(from: SourceOffset): Unit = {
      live.latest(from): Unit
      live.plan(from): Unit
    }

    def refused(): Unit      = live.says(live.number, RealTimeReport(Vector.empty, changed)): Unit
    def says: RealTimeAnswer = live.says(live.number, RealTimeReport(Vector.empty))
    def ends: SourceOffset   = {
      live.ends(live.number, RealTimeReport(Vector(TakenPart(0, 0), TakenPart(1, 10)))): Unit
      live.merged
    }
    def within(millis: Long)(claim: => Boolean): Boolean = {
      val end = System.nanoTime + TimeUnit.MILLISECONDS.toNanos(millis)
      while (!claim && System.nanoTime < end) Thread.sleep(20)
      claim
    }

    /** Two batches in a row: the reader of `eu` finds another cluster. */
    def twice(): Unit = {
      begins(SourceOffset.initial)
      refused()
      assert(within(3000)(says == RealTimeAnswer.Ends))
      begins(ends)
      refused()
    }

    def close(): Unit = {
      live.close()
      driver.close()
    }
  }

  private def soon(policy: ReconcilePolicy) =
    policy.copy(batches = BatchKind.RealTime, agreement = Duration.ofMillis(50))

  private def using(policy: ReconcilePolicy)(body: Live => Unit): Unit = {
    val here = new Live(policy)
    try body(here)
    finally here.close()
  }

  test("under skip the cluster is shown as unavailable, for nothing of it is read") {
    using(soon(skipping)) { here =>
      here.twice()
      assert(here.within(5000)(here.driver.remembered.last.exists(_.reconciled.unavailable(eu))))
    }
  }

  test("under fail the query fails") {
    using(soon(fromEarliest)) { here =>
      here.twice()
      assert(here.within(5000)(here.says.isInstanceOf[RealTimeAnswer.Fails]), here.says)
    }
  }
}
