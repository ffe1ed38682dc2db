package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.CompletableFuture

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetPoint, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.{Question, ReconcilePolicy}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed

/** Runs of AvailableNow, each with a driver of its own. */
class AbsentOverRunsSuite extends FunSuite with StepScenes {
  private val topology                = listed("eu" -> topics("orders"))
  private val policy: ReconcilePolicy =
    skipping.copy(starting = rule("latest"), failOnDataLoss = false, agreement = Duration.ofMillis(300))

  // Of nine records the first seven have times from before the query began.
  private class Backfilled extends ScriptedClusters {
    override def resolving(
        cluster: ClusterId,
        questions: Set[Question]
    ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
      CompletableFuture.completedFuture(Right(questions.collect { case q @ Question(_, _: OffsetPoint.Timestamp) =>
        q -> Option(7L)
      }.toMap))
  }

  private def runs(held: SourceOffset, kafka: ScriptedClusters, frozen: Boolean): SourceOffset = {
    val here = new OpenedDriver(policy, kafka, () => topology).driver
    try
      if (frozen) {
        here.freeze()
        Iterator.iterate(held)(here.latest(_, ReadLimits.everything)).take(3).toVector.last
      } else {
        val end = System.nanoTime + 1500000000L
        Iterator.iterate(held) { at => Thread.sleep(50); here.latest(at, ReadLimits.everything) }
          .dropWhile(_ => System.nanoTime < end).next()
      }
    finally here.close()
  }

  for ((run, frozen) <- Seq("runs of AvailableNow" -> true, "starts" -> false)) {
    test(s"over $run a topic that did not exist for days begins at its earliest record once it does") {
      val kafka = new Backfilled
      kafka.now("eu", down)
      val first = runs(SourceOffset.initial, kafka, frozen)
      kafka.now("eu", answer("orders" -> absent).of("K1"))
      val none = (1 to 3).foldLeft(first)((at, _) => runs(at, kafka, frozen))
      kafka.now("eu", answer("orders" -> has(0 -> 9).of("T1")).of("K1"))
      assertEquals(ranges(none, runs(none, kafka, frozen)), Vector("eu orders 0 0-9"))
    }

    test(s"over $run a topic without an id that did not exist for days is another one when it comes") {
      val kafka = new Backfilled
      kafka.now("eu", answer("orders" -> has(0 -> 10)).of("K1"))
      val first = runs(SourceOffset.initial, kafka, frozen)
      kafka.now("eu", answer("orders" -> absent).of("K1"))
      val none = (1 to 3).foldLeft(first)((at, _) => runs(at, kafka, frozen))
      kafka.now("eu", answer("orders" -> has(0 -> 20)).of("K1"))
      assertEquals(ranges(none, runs(none, kafka, frozen)), Vector("eu orders 0 0-20"))
    }
  }
}
