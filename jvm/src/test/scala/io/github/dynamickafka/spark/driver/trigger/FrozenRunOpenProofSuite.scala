package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.fakes.{LogLines, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** A leader that is behind answers first, and then one that leaves open whether its log is whole. */
class FrozenRunOpenProofSuite extends FunSuite with StepScenes {
  private def led(end: Long, epoch: Int) =
    answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")

  private class Opens extends ScriptedClusters {
    private val asks                                                                = new AtomicInteger
    override def observing(cluster: ClusterId, topics: Set[String], wait: WaitMode) =
      CompletableFuture.completedFuture[ClusterObservation](if (asks.incrementAndGet() == 1) led(10, 4) else led(15, 6))
    override def resolving(
        cluster: ClusterId,
        questions: Set[Question]
    ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
      CompletableFuture.completedFuture(Right(Map.empty[Question, Option[Long]]))
  }

  test("a run of AvailableNow ends without the partition, and warns of it") {
    val eu    = listed("eu" -> topics("orders"))
    val held  = Query(fromEarliest).sees(eu)("eu" -> led(10, 5)).read.held
    val lines = LogLines.of(classOf[StepRunner]) {
      val here = new OpenedDriver(
        skipping.copy(agreement = Duration.ofSeconds(1)),
        new Opens,
        () => eu,
        options = Map("clusterRequestTimeout" -> "1s")
      ).driver
      try {
        here.freeze()
        val run = CompletableFuture.supplyAsync(() => here.latest(held, ReadLimits.everything))
        assertEquals(ranges(held, run.get(30, TimeUnit.SECONDS)), Vector.empty)
      } finally here.close()
    }
    assertEquals(
      lines.count(_.contains("whether the log was cut off, in cluster=eu topic=orders partition=0")),
      1,
      lines
    )
  }
}
