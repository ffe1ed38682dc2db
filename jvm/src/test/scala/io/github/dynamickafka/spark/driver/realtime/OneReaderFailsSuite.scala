package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeUnit}
import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{LogAgreement, SourceOffset}
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.{BatchKind, Question, ReconcilePolicy}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** In Real-Time Mode two tasks read one cluster that takes 300 ms for an answer. The executor of one task can't read it; the
  * other one reads on. Nothing is cut off.
  */
class OneReaderFailsSuite extends FunSuite with StepScenes {
  private val eu    = ClusterId("eu")
  private val one   = listed("eu" -> topics("orders"))
  private val rules = skipping.copy(batches = BatchKind.RealTime, agreement = Duration.ofSeconds(1))

  /** Partition 1 grows all the time. */
  final private class Growing extends ScriptedClusters {
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

    override def resolving(
        cluster: ClusterId,
        questions: Set[Question]
    ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
      CompletableFuture.completedFuture(Right(questions.collect { case q @ Question(_, LogAgreement(at, _)) =>
        q -> Option(at)
      }.toMap))
  }

  final private class Live(policy: ReconcilePolicy) {
    val clusters       = new Growing
    private val opened = new OpenedDriver(policy, clusters, () => one, begun = new InMemoryDecisionStore)
    val driver         = opened.driver
    val live           = new RealTimeDriver(driver, driver.environment, "test", _ => ())

    def begins(from: SourceOffset): Vector[String] = {
      live.latest(from): Unit
      live.plan(from).map(range => s"${range.id.cluster} ${range.id.partition} ${range.from}")
    }

    def fails(): Unit = live.says(
      live.number,
      RealTimeReport(Vector.empty, Map(eu -> ReaderFailure("CONDITION", "no DNS here", asks = false)))
    ): Unit

    /** Records are written to partition 1, and its task takes them at once. What the driver answers last. */
    def readsFor(millis: Long): RealTimeAnswer = {
      val until                = System.nanoTime + TimeUnit.MILLISECONDS.toNanos(millis)
      var said: RealTimeAnswer = RealTimeAnswer.GoesOn
      while (said == RealTimeAnswer.GoesOn && System.nanoTime < until) {
        val end = clusters.end.addAndGet(20)
        said = live.says(live.number, RealTimeReport(Vector(TakenPart(1, end, Some(5)))))
        Thread.sleep(20)
      }
      said
    }

    def ends(): SourceOffset = {
      val parts = Vector(TakenPart(0, 10, Some(5)), TakenPart(1, clusters.end.get, Some(5)))
      assertEquals(live.ends(live.number, RealTimeReport(parts)), RealTimeAnswer.Ends: RealTimeAnswer)
      live.merged
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

  private val goesOn: RealTimeAnswer = RealTimeAnswer.GoesOn

  test("control: while both tasks read, nothing looks cut off") {
    using(rules) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "eu 1 0"))
      assertEquals(here.readsFor(4000), goesOn)
      val end = here.ends()
      assertEquals(here.begins(end), Vector("eu 0 10", s"eu 1 ${here.clusters.end.get}"))
    }
  }

  test("one task can't read: the records that the other one reads are no loss, and the query does not fail") {
    using(rules) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "eu 1 0"))
      assertEquals(here.readsFor(1000), goesOn)
      here.fails()
      val said   = here.readsFor(4000)
      val ending = here.live.current.flatMap(_.ending)
      val end    = here.ends()
      here.live.latest(end): Unit
      assertEquals(said -> ending, goesOn -> None)
    }
  }

  test("one task can't read: under failOnDataLoss=false nothing is read twice") {
    using(rules.copy(failOnDataLoss = false)) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "eu 1 0"))
      assertEquals(here.readsFor(1000), goesOn)
      here.fails()
      here.readsFor(4000): Unit
      val end    = here.ends()
      val before = end.get(partition("eu", "orders", 1))
      val after  = here.live.latest(end).get(partition("eu", "orders", 1))
      assertEquals(after.map(at => at.next -> at.incarnation), before.map(at => at.next -> at.incarnation))
    }
  }
}
