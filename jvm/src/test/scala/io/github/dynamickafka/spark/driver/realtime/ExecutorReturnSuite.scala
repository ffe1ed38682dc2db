package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration
import java.util.concurrent.TimeUnit

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.{BatchKind, ReconcilePolicy}
import io.github.dynamickafka.spark.topology.Topology

/** In Real-Time Mode: a cluster that executors could not read for a while, and can read again. */
class ExecutorReturnSuite extends FunSuite with StepScenes {
  private val rules = skipping.copy(batches = BatchKind.RealTime)
  private val eu    = ClusterId("eu")

  final private class Live(policy: ReconcilePolicy) {
    val clusters                   = new ScriptedClusters
    @volatile private var metadata = both
    clusters.now("eu", orders)
    clusters.now("us", orders)
    private val opened = new OpenedDriver(
      policy,
      clusters,
      () => metadata,
      begun = new InMemoryDecisionStore,
      options = Map("clusterReadTimeout" -> "1s")
    )
    val driver = opened.driver
    val live   = new RealTimeDriver(driver, driver.environment, "test", _ => ())

    def next(topology: Topology): Unit = {
      metadata = topology
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }

    def begins(from: SourceOffset): Vector[String] = {
      live.latest(from): Unit
      live.plan(from).map(range => s"${range.id.cluster} ${range.id.partition} ${range.from}")
    }

    def says(parts: TakenPart*): RealTimeAnswer = live.says(live.number, RealTimeReport(parts.toVector))

    def ends(parts: TakenPart*): SourceOffset = {
      assertEquals(live.ends(live.number, RealTimeReport(parts.toVector)), RealTimeAnswer.Ends: RealTimeAnswer)
      live.merged
    }

    def within(millis: Long)(claim: => Boolean): Boolean = {
      val end = System.nanoTime + TimeUnit.MILLISECONDS.toNanos(millis)
      while (!claim && System.nanoTime < end) Thread.sleep(20)
      claim
    }

    def unavailable: Boolean = driver.remembered.last.exists(_.reconciled.unavailable(eu))

    /** The executors can't read `eu`, and a batch later they can: it begins with it. */
    def returned(): Unit = {
      assertEquals(begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
      val failure = Map(eu -> ReaderFailure("CONDITION", "no DNS here", asks = false))
      live.says(live.number, RealTimeReport(Vector(TakenPart(1, 10)), failure)): Unit
      assert(within(3000)(unavailable))
      assert(within(8000)(says() == RealTimeAnswer.Ends))
      assertEquals(begins(ends(TakenPart(0, 0), TakenPart(1, 10))), Vector("eu 0 0", "us 0 10"))
    }

    def close(): Unit = {
      live.close()
      driver.close()
    }
  }

  private def using(policy: ReconcilePolicy)(body: Live => Unit): Unit = {
    val here = new Live(policy)
    try body(here)
    finally here.close()
  }

  test("a cluster that is read again is not unavailable any more") {
    using(rules) { here =>
      here.returned()
      assertEquals(here.begins(here.ends(TakenPart(0, 5), TakenPart(1, 10))), Vector("eu 0 5", "us 0 10"))
      here.says(TakenPart(0, 10)): Unit
      assert(here.within(5000)(!here.unavailable), "eu is read, and still shown as unavailable")
    }
  }

  test("a drain that gives records all the time is not given up") {
    val soon = rules.copy(removal = rules.removal.copy(drainTimeout = Duration.ofSeconds(1)))
    using(soon) { here =>
      here.returned()
      here.clusters.now("eu", answer("orders" -> has(0 -> 1000)))
      here.next(listed("us" -> topics("orders")))
      assert(here.within(3000)(here.says() == RealTimeAnswer.Ends))
      assertEquals(here.begins(here.ends(TakenPart(0, 5), TakenPart(1, 10))), Vector("eu 0 5", "us 0 10"))
      // It gives 10 records each 100 ms, all the time.
      (1 to 40).foreach { n =>
        Thread.sleep(100)
        here.says(TakenPart(0, 5L + 10 * n)): Unit
      }
      val next = here.begins(here.ends(TakenPart(0, 405), TakenPart(1, 10)))
      assertEquals(next -> here.driver.remembered.abandonedRecords, Vector("eu 0 405", "us 0 10") -> 0L)
    }
  }
}
