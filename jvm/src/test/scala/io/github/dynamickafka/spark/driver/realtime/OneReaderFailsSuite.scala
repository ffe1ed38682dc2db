package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeUnit}
import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.fakes.WholeLogs
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, TakenPart}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** In Real-Time Mode two tasks read one cluster that takes 300 ms for an answer. The executor of one task can't read it; the
  * other one reads on. Nothing is cut off.
  */
class OneReaderFailsSuite extends FunSuite with LiveScenes {
  private val rules = realTime(skipping.copy(agreement = Duration.ofSeconds(1)))

  /** Partition 1 grows all the time. */
  final private class Growing extends WholeLogs {
    val end           = new AtomicLong(10)
    private val later = CompletableFuture.delayedExecutor(150, TimeUnit.MILLISECONDS, (task: Runnable) => task.run())

    override def observing(
        cluster: ClusterId,
        topics: Set[String],
        waitMode: WaitMode
    ): CompletableFuture[ClusterObservation] =
      CompletableFuture.supplyAsync(
        () => {
          val now = end.get
          answer("orders" ->
            Present(Some("T1"), Map(0 -> Extent(0, 10, 10, Some(5)), 1 -> Extent(0, now, now, Some(5))))).of("K1")
        },
        later
      ).thenApplyAsync(said => said: ClusterObservation, later)
  }

  private class TwoTasks(policy: ReconcilePolicy, val growing: Growing = new Growing)
      extends Live(growing, policy = policy) {
    def oneFails(): Unit = fails(ReaderFailure("CONDITION", "no DNS here", asks = false))

    /** Records are written to partition 1, and its task takes them at once. What the driver answers last. */
    def readsFor(millis: Long): RealTimeAnswer = {
      val until                = System.nanoTime + TimeUnit.MILLISECONDS.toNanos(millis)
      var said: RealTimeAnswer = RealTimeAnswer.GoesOn
      while (said == RealTimeAnswer.GoesOn && System.nanoTime < until) {
        val end = growing.end.addAndGet(20)
        said = says(TakenPart(1, end, Some(5)))
        Thread.sleep(20)
      }
      said
    }

    def ended(): SourceOffset = ends(TakenPart(0, 10, Some(5)), TakenPart(1, growing.end.get, Some(5)))
  }

  private val goesOn: RealTimeAnswer = RealTimeAnswer.GoesOn

  test("control: while both tasks read, nothing looks cut off") {
    using(new TwoTasks(rules)) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "eu 1 0"))
      assertEquals(here.readsFor(4000), goesOn)
      val end = here.ended()
      assertEquals(here.begins(end), Vector("eu 0 10", s"eu 1 ${here.growing.end.get}"))
    }
  }

  test("one task can't read: the records that the other one reads are no loss, and the query does not fail") {
    using(new TwoTasks(rules)) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "eu 1 0"))
      assertEquals(here.readsFor(1000), goesOn)
      here.oneFails()
      val said   = here.readsFor(4000)
      val ending = here.live.current.flatMap(_.ending)
      val end    = here.ended()
      here.live.latest(end): Unit
      assertEquals(said -> ending, goesOn -> None)
    }
  }

  test("one task can't read: under failOnDataLoss=false nothing is read twice") {
    using(new TwoTasks(rules.copy(failOnDataLoss = false))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "eu 1 0"))
      assertEquals(here.readsFor(1000), goesOn)
      here.oneFails()
      here.readsFor(4000): Unit
      val end    = here.ended()
      val before = end.get(partition("eu", "orders", 1))
      val after  = here.live.latest(end).get(partition("eu", "orders", 1))
      assertEquals(after.map(at => at.next -> at.incarnation), before.map(at => at.next -> at.incarnation))
    }
  }
}
