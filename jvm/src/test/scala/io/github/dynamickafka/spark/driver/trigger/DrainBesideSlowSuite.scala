package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeUnit}

import munit.FunSuite

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.fakes.{Query, WholeLogs}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** A drain gets its end though another cluster takes long, and in runs that have little time. */
class DrainBesideSlowSuite extends FunSuite with StepScenes {
  private val settling                         = Duration.ofSeconds(2)
  private def settled(policy: ReconcilePolicy) = policy.copy(settling = settling)

  private def led(kafka: String, parts: (Int, (Long, Int))*): ClusterObservation =
    answer("orders" -> Present(
      Some(s"T-$kafka"),
      parts.map { case (n, (end, epoch)) => n -> Extent(0, end, end, Some(epoch)) }.toMap
    )).of(kafka)

  private def logged(at: SourceOffset) = OffsetJson.read(OffsetJson.write(at))

  private val euAndUs = Query(fromEarliest).sees(listed("eu" -> topics("orders"), "us" -> topics("orders")))(
    "eu" -> led("K1", 0 -> (100L -> 5)),
    "us" -> led("K2", 0 -> (60L -> 5))
  ).readSome(_.map { case (id, _) => id -> 60L }).held
  private def usAlone = listed("eu" -> topics(), "us" -> topics("orders"))

  private class SlowUs(millis: Long) extends WholeLogs {
    now("eu", led("K1", 0 -> (100L -> 5)))
    now("us", led("K2", 0 -> (60L -> 5)))
    private val later = CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, (task: Runnable) => task.run())
    override def observing(id: ClusterId, names: Set[String], wait: WaitMode): CompletableFuture[ClusterObservation] =
      if (id.value == "us")
        CompletableFuture.runAsync(() => (), later).thenCompose(_ => super.observing(id, names, wait))
      else super.observing(id, names, wait)
  }

  private def run(here: OpenedDriver, from: SourceOffset): (SourceOffset, Vector[String]) =
    try {
      here.driver.freeze()
      def next(at: SourceOffset, read: Vector[String]): (SourceOffset, Vector[String]) = {
        val end = here.driver.latest(at, ReadLimits.everything)
        if (end == at) at -> read else next(logged(end), read ++ ranges(at, end))
      }
      next(from, Vector.empty)
    } finally here.driver.close()

  for (took <- Seq(1000, 2500))
    test(s"a run of AvailableNow: it drains beside a listed cluster that answers after $took ms") {
      val (end, read) =
        run(new OpenedDriver(settled(fromEarliest), new SlowUs(took.toLong), () => usAlone), euAndUs)
      assertEquals(read -> end.topics.exists(_._3.drains), Vector("eu orders 0 60-100") -> false)
    }

  test("any trigger: it drains beside a listed cluster that answers after 2200 ms") {
    val here = new OpenedDriver(settled(fromEarliest), new SlowUs(2200), () => usAlone)
    try {
      val first = logged(here.driver.latest(euAndUs, ReadLimits.everything))
      assertEquals(ranges(euAndUs, first), Vector("eu orders 0 60-100"))
    } finally here.driver.close()
  }

  private val read60 = Query(fromEarliest).sees(listed("eu" -> topics("orders")))("eu" -> led("K1", 0 -> (100L -> 5)))
    .readSome(_.map { case (id, _) => id -> 60L }).held

  for (timeout <- Seq("1s", "1500ms", "3s"))
    test(s"runs of AvailableNow drain, clusterRequestTimeout: $timeout") {
      val (end, read) = (1 to 4).foldLeft((read60, Vector.empty[String])) { case ((at, read), _) =>
        val kafka = new WholeLogs
        kafka.now("eu", led("K1", 0 -> (100L -> 5)))
        val millis = if (timeout.endsWith("ms")) timeout.dropRight(2).toLong else timeout.dropRight(1).toLong * 1000
        val (next, found) = run(
          new OpenedDriver(
            settled(fromEarliest).copy(agreement = Duration.ofMillis(millis)),
            kafka,
            () => listed("eu" -> topics()),
            options = Map("clusterRequestTimeout" -> timeout)
          ),
          at
        )
        (next, read ++ found)
      }
      assertEquals(read -> end.topics.exists(_._3.drains), Vector("eu orders 0 60-100") -> false)
    }
}
