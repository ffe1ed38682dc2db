package io.github.dynamickafka.spark.driver.trigger

import java.time.{Duration, Instant}
import java.util.concurrent.CompletableFuture

import munit.FunSuite

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.fakes.{ManualClock, Query, WholeLogs}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetJson
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** However long answers take, and however far apart triggers are, a drain gets its end. */
class FarDrainSuite extends FunSuite with StepScenes {
  private def led(end: Long): ClusterObservation =
    answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(5))))).of("K1")

  private val read60 = Query(fromEarliest).sees(listed("eu" -> topics("orders")))("eu" -> led(100))
    .readSome(_.map { case (id, _) => id -> 60L }).held

  private class Far(took: Duration, clock: ManualClock) extends WholeLogs {
    now("eu", led(100))
    override def observing(id: ClusterId, names: Set[String], wait: WaitMode): CompletableFuture[ClusterObservation] = {
      clock.advance(took)
      super.observing(id, names, wait)
    }
  }

  /** What is read in so many triggers, and whether it still drains. */
  private def drained(
      took: Int,
      interval: Int,
      triggers: Int,
      policy: ReconcilePolicy = fromEarliest,
      still: Seq[String] = Nil
  ): (Vector[String], Boolean) = {
    val clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"))
    val kafka = new Far(Duration.ofMillis(took.toLong), clock)
    val here  = new OpenedDriver(
      policy.copy(settling = Duration.ofSeconds(2)),
      kafka,
      () => listed("eu" -> topics(still: _*)),
      clock = clock
    )
    try {
      val (end, read) = (1 to triggers).foldLeft((read60, Vector.empty[String])) { case ((at, read), _) =>
        val next = OffsetJson.read(OffsetJson.write(here.driver.latest(at, ReadLimits.everything)))
        clock.advance(Duration.ofSeconds(interval.toLong))
        // Clusters that are slow are asked in the background.
        if (took > 250) here.asks.rest(Duration.ofMillis(300))
        (next, read ++ ranges(at, next))
      }
      (read, end.topics.exists(_._3.drains))
    } finally here.driver.close()
  }

  private val whole = (Vector("eu orders 0 60-100"), false)

  for (took <- Seq(100, 400, 3000); interval <- Seq(5, 3600))
    test(s"answers after $took ms, each $interval s")(assertEquals(drained(took, interval, 10), whole))

  test("a cluster that is skipped if it does not answer")(assertEquals(drained(400, 30, 10, skipping), whole))

  test("one of two topics is removed")(assertEquals(drained(300, 15, 10, still = Seq("bills")), whole))
}
