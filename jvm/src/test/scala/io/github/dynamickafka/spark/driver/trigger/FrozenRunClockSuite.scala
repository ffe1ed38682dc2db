package io.github.dynamickafka.spark.driver.trigger

import java.time.{Clock, Duration, Instant, ZoneId, ZoneOffset}
import java.util.concurrent.{CompletableFuture, TimeoutException, TimeUnit}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed

/** A run of `AvailableNow` while the clock is set back. */
class FrozenRunClockSuite extends FunSuite with StepScenes {
  private val eu = listed("eu" -> topics("orders"))

  test("the first step waits no longer for an answer about where a partition begins") {
    val back  = new AtomicReference(Duration.ZERO)
    val asks  = new AtomicInteger
    val clock = new Clock {
      override def instant: Instant              = Instant.now.minus(back.get)
      override def getZone: ZoneId               = ZoneOffset.UTC
      override def withZone(zone: ZoneId): Clock = this
    }
    val kafka = new ScriptedClusters {
      override def resolving(
          cluster: ClusterId,
          questions: Set[Question]
      ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] = {
        if (asks.incrementAndGet() == 3) back.set(Duration.ofHours(1))
        CompletableFuture.completedFuture(Right(questions.filter(_.id.partition == 0).map(_ -> Option(5L)).toMap))
      }
    }
    kafka.now("eu", answer("orders" -> has(0 -> 10, 0 -> 10).of("T1")).of("K1"))
    val policy = fromEarliest.copy(starting = OffsetRule.everywhere(OffsetPoint.Timestamp(1000)))
    val here   =
      new OpenedDriver(policy, kafka, () => eu, clock = clock, options = Map("clusterRequestTimeout" -> "1s")).driver
    try {
      here.freeze()
      val step = CompletableFuture.supplyAsync(() => here.latest(SourceOffset.initial, ReadLimits.everything))
      val came =
        try Some(step.get(8, TimeUnit.SECONDS))
        catch { case _: TimeoutException => None }
      back.set(Duration.ZERO)
      assert(
        came.isDefined,
        s"after 8 s, with clusterRequestTimeout of 1 s, the first step is not over; asks=${asks.get}"
      )
    } finally here.close()
  }
}
