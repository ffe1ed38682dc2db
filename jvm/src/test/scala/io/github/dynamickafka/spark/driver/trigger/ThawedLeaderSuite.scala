package io.github.dynamickafka.spark.driver.trigger

import java.time.{Clock, Duration}
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicBoolean

import munit.FunSuite

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.fakes.{Query, WholeLogs}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{OffsetJson, Removal, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.{AnsweringSince, ClusterObservation, Extent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present

/** A leader freezes at 100 records, another one is elected and gets 30 more. The cluster is taken off. The ask for the end of
  * its drain waits for the first leader, which answers as soon as it thaws.
  */
class ThawedLeaderSuite extends FunSuite with StepScenes {
  private val settling = Duration.ofSeconds(2)

  private def led(end: Long, epoch: Int): ClusterObservation =
    answer("orders" -> Present(Some("T1"), Map(0 -> Extent(0, end, end, Some(epoch))))).of("K1")

  private val read60 = Query(fromEarliest).sees(listed("eu" -> topics("orders")))("eu" -> led(100, 5))
    .readSome(_.map { case (id, _) => id -> 60L }).held

  /** The first ask waits for the leader that thaws. Soon after, the other one is known. */
  private class Thaws(later: ClusterObservation) extends WholeLogs {
    private val first = new AtomicBoolean(false)
    hangs("eu")
    override def observing(
        cluster: ClusterId,
        topics: Set[String],
        waitMode: WaitMode
    ): CompletableFuture[ClusterObservation] = {
      val answer = super.observing(cluster, topics, waitMode)
      if (first.compareAndSet(false, true))
        wakesAfter(Duration.ofMillis(400), "eu", led(100, 5))(wakesAfter(Duration.ofMillis(600), "eu", later)())
      answer
    }
  }

  /** What is read of a cluster that was taken off, until its drain is over. */
  private def drained(kafka: WholeLogs, frozen: Boolean = false): Vector[String] = {
    val here = new OpenedDriver(fromEarliest.copy(settling = settling), kafka, () => listed("eu" -> topics()))
    try {
      if (frozen) here.driver.freeze()
      val until = System.nanoTime + Duration.ofSeconds(10).toNanos
      def next(at: SourceOffset, read: Vector[String]): Vector[String] = {
        val end = OffsetJson.read(OffsetJson.write(here.driver.latest(at, ReadLimits.everything)))
        if (end.topics.exists(_._3.drains) && System.nanoTime < until) {
          here.asks.rest(Duration.ofMillis(50))
          next(end, read ++ ranges(at, end))
        } else read ++ ranges(at, end)
      }
      next(read60, Vector.empty)
    } finally here.driver.close()
  }

  for (frozen <- Seq(false, true))
    test(s"what it says when it thaws is not the end of a drain; a run of AvailableNow: $frozen") {
      assertEquals(drained(new Thaws(led(130, 6)), frozen), Vector("eu orders 0 60-130"))
    }

  test("nor if it thaws just before it is asked") {
    val kafka = new WholeLogs
    kafka.now("eu", led(100, 5))
    kafka.wakesAfter(Duration.ofMillis(1000), "eu", led(130, 6))()
    assertEquals(drained(kafka), Vector("eu orders 0 60-130"))
  }

  test("control: what it says two seconds later is") {
    val kafka = new WholeLogs
    kafka.now("eu", led(100, 5))
    assertEquals(drained(kafka), Vector("eu orders 0 60-100"))
  }

  test("a look at a batch of Real-Time Mode does not wait, and finds no end") {
    val kafka = new WholeLogs
    kafka.now("eu", led(100, 5))
    val here = new OpenedDriver(fromEarliest.copy(settling = settling), kafka, () => listed("eu" -> topics()))
    try {
      val began = System.nanoTime
      val found = here.driver.look(read60, None)
      assert(System.nanoTime - began < Duration.ofSeconds(1).toNanos)
      assertEquals(
        found.map(_.step.offset.topics.map(_._3.removal.exists(_.isInstanceOf[Removal.Open])).toVector),
        Right(Vector(true))
      )
    } finally here.driver.close()
  }

  test("a partition that it does not know yet drains, too") {
    val two = answer("orders" -> Present(
      Some("T1"),
      Map(0 -> Extent(0, 130, 130, Some(6)), 1 -> Extent(0, 20, 20, Some(0)))
    )).of("K1")
    assertEquals(drained(new Thaws(two)).toSet, Set("eu orders 0 60-130", "eu orders 1 0-20"))
  }

  private val eu                              = both.clusters.keys.head
  private val begin                           = Clock.systemUTC.instant()
  private def at(millis: Long)                = begin.plusMillis(millis)
  private def unsettled(times: (Long, Long)*) = times.foldLeft(AnsweringSince.nothing) { case (known, (began, ended)) =>
    known.asked(Map(eu -> true), _ => at(began), _ => at(ended), settling)
  }.unsettled(eu)

  test("an answer decides if it was asked for two seconds after the first one") {
    assertEquals(unsettled(0L -> 10L), true)
    assertEquals(unsettled(0L -> 10L, 1000L -> 1010L), true)
    assertEquals(unsettled(0L -> 10L, 1000L -> 1010L, 2010L -> 2020L), false)
    // The clock was set back.
    assertEquals(unsettled(9000L -> 9010L, 11500L -> 11510L, 0L -> 100L), true)
  }

  test("after a gap, a slow answer or a failed ask the next one is a first one") {
    assertEquals(unsettled(0L -> 10L, 2000L -> 2010L, 5000L -> 5010L), false)
    assertEquals(unsettled(0L -> 10L, 2000L -> 2010L, 5020L -> 5030L), true)
    assertEquals(unsettled(0L -> 10L, 2000L -> 6000L, 6050L -> 6060L), true)
    assertEquals(unsettled(0L -> 10L, 2000L -> 6000L, 7000L -> 7010L, 8000L -> 8010L), false)
    val failed = AnsweringSince.nothing.asked(Map(eu -> true), _ => at(0), _ => at(10), settling)
      .asked(Map(eu -> false), _ => at(1000), _ => at(1010), settling)
    assert(failed.asked(Map(eu -> true), _ => at(2100), _ => at(2110), settling).unsettled(eu))
  }

  test("where each answer is slow, the second one decides, however far apart they are") {
    assertEquals(unsettled(0L -> 3000L, 6000L -> 9000L), false)
    assertEquals(unsettled(0L -> 3000L, 90000L -> 93000L), false)
    assertEquals(unsettled(0L -> 3000L, 3000L -> 6000L, 6000L -> 9000L), false)
  }
}
