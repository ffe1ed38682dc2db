package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration
import java.util.concurrent.CompletableFuture

import munit.FunSuite

import io.github.dynamickafka.spark.deferral.{Standstill, TakenRange, TaskReport, Verdict}
import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.fakes.{ManualClock, Query, RecordedKafka, RecordedLog, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.TimeProbes
import io.github.dynamickafka.spark.log.{QueryEnvironment, QueryLog}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.{SkewSettings, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.poll.LaterFetch

/** A cluster that answers the driver, and of which no executor can read anything: each batch gives its part back. */
class GivenBackAgainSuite extends FunSuite with StepScenes {
  private val us = ClusterId("us")

  /** The batch is read, but for what it reads of `us`. */
  private def runs(here: SourceDriver, from: SourceOffset, until: SourceOffset): Unit = {
    val all = here.plan(from, until).zipWithIndex.map { case (range, number) =>
      if (range.id.cluster == us) TakenRange(number, range.from, Some(Standstill(10000, tookAny = false)))
      else TakenRange(number, range.until)
    }
    val batch = here.running.get
    if (all.nonEmpty)
      assertEquals(
        batch.answers(Vector(batch.number -> TaskReport(1, all)), now = 20000),
        Vector[Verdict](Verdict.Ends)
      )
  }

  test("a run of AvailableNow ends without a cluster of which a batch could read nothing, once nothing else is left") {
    val kafka = new ScriptedClusters
    val here  = new OpenedDriver(skipping, kafka, () => both, UnreadableRangePolicy.Defer).driver
    try {
      Seq("eu", "us").foreach(kafka.now(_, more))
      here.freeze()
      val ends = Iterator.iterate(start) { at =>
        val next = here.latest(at, ReadLimits(Some(4), None, aligned = true))
        runs(here, at, next)
        next
      }.take(12).toVector
      assertEquals(ends.takeRight(2).distinct.size, 1, "the run goes on for ever")
      assertEquals(ends.last.get(partition("eu", "orders", 0)).map(_.next), Some(15L))
      assertEquals(ends.last.get(partition("us", "orders", 0)).map(_.next), Some(10L))
      assert(here.givenBack(ends.last).isEmpty, "what was given back is recorded as unread")
    } finally here.close()
  }

  private val skew = SkewSettings(Duration.ofMillis(10), Duration.ofMinutes(10))

  // A record's time is its offset.
  private def aligned(clock: ManualClock) = {
    val kafka = new RecordedKafka(pollRecords = 1000)
      .holds("eu", "orders", 0)(RecordedLog.of(100, 200))
      .holds("us", "orders", 0)(RecordedLog.of(50, 200))
    val probes = new TimeProbes(kafka, "prefix", Duration.ofSeconds(30), "test")
    val around = QueryEnvironment(QueryLog.unnamed, clock)
    new AdmissionControl(
      Some(new Alignment(
        skew,
        skipping,
        probes,
        (_, _) => CompletableFuture.completedFuture(Left(down)),
        _ => LaterFetch.Failed,
        around
      )),
      clock
    )
  }

  test("under maxTimestampSkew it holds the others for maxSkewWait, and again once it can be read") {
    val kafka = new ScriptedClusters
    val clock = new ManualClock(begin)
    val here  =
      new OpenedDriver(skipping, kafka, () => both, UnreadableRangePolicy.Defer, admission = aligned(clock)).driver
    def from(eu: Int, us: Int) = Seq("eu" -> eu, "us" -> us).map { case (id, first) =>
      id -> answer("orders" -> has(first -> 200))
    }
    def next(at: SourceOffset) = here.latest(at, ReadLimits(None, None, aligned = true))
    try {
      val held = Query(skipping).sees(both)(from(100, 50): _*).readSome(_ => Map.empty).held
      from(100, 50).foreach { case (id, said) => kafka.now(id, said) }
      val waiting = Iterator.iterate(held) { at =>
        val end = next(at)
        runs(here, at, end)
        clock.advance(Duration.ofMinutes(1))
        end
      }.take(10).toVector
      assertEquals(waiting.map(_.get(partition("eu", "orders", 0)).map(_.next)).distinct, Vector(Some(100L)))
      clock.advance(skew.patience)
      val over = next(waiting.last)
      assertEquals(ranges(waiting.last, over), Vector("eu orders 0 100-111", "us orders 0 50-111"))
      // All of it is read.
      here.plan(waiting.last, over): Unit
      val later = next(over)
      assertEquals(ranges(over, later), Vector("eu orders 0 111-122", "us orders 0 111-122"))
    } finally here.close()
  }
}
