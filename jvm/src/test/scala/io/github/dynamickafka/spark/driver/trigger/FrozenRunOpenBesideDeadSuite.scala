package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed

/** As `FrozenRunOpenStartSuite`, beside a cluster whose ask ends by its limit. */
class FrozenRunOpenBesideDeadSuite extends FunSuite with StepScenes {
  private class OpenOnce(left: Int) extends ScriptedClusters {
    private val times = new AtomicInteger
    override def resolving(
        cluster: ClusterId,
        questions: Set[Question]
    ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] = {
      val first = times.incrementAndGet() == 1
      CompletableFuture.completedFuture(Right(questions.collect {
        case q @ Question(id, OffsetPoint.Timestamp(_)) if !first || id.partition != left => q -> Option(5L)
      }.toMap))
    }
  }

  test("it reads what was there, though another cluster takes the whole of clusterRequestTimeout to fail") {
    val kafka = new OpenOnce(left = 1)
    kafka.now("eu", answer("orders" -> has(0 -> 10, 0 -> 10).of("T1")).of("K1"))
    kafka.hangs("us")
    kafka.wakesAfter(Duration.ofMillis(2500), "us", down)()
    val here = new OpenedDriver(
      skipping.copy(starting = OffsetRule.everywhere(OffsetPoint.Timestamp(1000))),
      kafka,
      () => both,
      options = Map("clusterRequestTimeout" -> "2s")
    ).driver
    try {
      here.freeze()
      val steps = Iterator.iterate(SourceOffset.initial)(here.latest(_, ReadLimits.everything)).take(5).toVector
      val read  = steps.zip(steps.tail).flatMap { case (from, to) => ranges(from, to) }
      assertEquals(read.sorted, Vector("eu orders 0 5-10", "eu orders 1 5-10"))
    } finally here.close()
  }
}
