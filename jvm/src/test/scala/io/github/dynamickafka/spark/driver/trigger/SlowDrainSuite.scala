package io.github.dynamickafka.spark.driver.trigger

import java.util.concurrent.{CompletableFuture, TimeUnit}

import munit.FunSuite

import io.github.dynamickafka.spark.ask.{AskedClusters, WaitMode}
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{LogAgreement, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A drain of a cluster that answers all it is asked, only slowly. */
class SlowDrainSuite extends FunSuite with StepScenes {
  final private class Slow extends AskedClusters {
    @volatile var epoch                                                      = 5
    override def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = ()
    private val later                                                        =
      CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS, (task: Runnable) => task.run())
    override def observing(
        cluster: ClusterId,
        topics: Set[String],
        waitMode: WaitMode
    ): CompletableFuture[ClusterObservation] = CompletableFuture.supplyAsync(() => led(20, epoch)._2, later)
    override def resolving(
        cluster: ClusterId,
        questions: Set[Question]
    ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
      CompletableFuture.completedFuture(Right(questions.collect { case q @ Question(_, LogAgreement(at, _)) =>
        q -> Option(at)
      }.toMap))
    override def close(): Unit = ()
  }

  private def led(end: Long, epoch: Int): (String, ClusterObservation) =
    "eu" -> answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")

  test("an inactive cluster that answers slowly drains on after an election") {
    val kafka = new Slow
    val held  = Query(fromEarliest).sees(listed("eu" -> topics("orders")))(led(10, 5)).read.held
    val here  = new OpenedDriver(fromEarliest, kafka, () => listed("eu" -> topics().inactive)).driver
    try {
      def next(at: SourceOffset) = here.latest(at, ReadLimits(Some(2), None, aligned = true))
      val first                  = next(held)
      assertEquals(ranges(held, first), Vector("eu orders 0 10-12"))
      kafka.epoch = 6
      // The batch is read, while the cluster is asked in the background about the position before it.
      Thread.sleep(700)
      val end    = System.nanoTime + TimeUnit.SECONDS.toNanos(5)
      val second = Iterator.continually { Thread.sleep(20); next(first) }
        .find(at => at != first || System.nanoTime > end).get
      assertEquals(here.remembered.abandonedRecords, 0L)
      assertEquals(ranges(first, second), Vector("eu orders 0 12-14"))
    } finally here.close()
  }
}
