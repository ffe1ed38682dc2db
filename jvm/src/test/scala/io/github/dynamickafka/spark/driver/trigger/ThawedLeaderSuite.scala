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
import io.github.dynamickafka.spark.reconcile.StepBasis
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent, FirstAnswers}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Silent
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

  private val id    = partition("eu", "orders", 0)
  private val begin = Clock.systemUTC.instant()
  private val basis = StepBasis(read60, listed("eu" -> topics()))

  /** Whether the last of these answers is too early. */
  private def early(answers: (ClusterObservation, Long, Long)*): Boolean =
    answers.foldLeft(FirstAnswers.none) { case (known, (answer, began, ended)) =>
      def at(millis: Long) = begin.plusMillis(millis)
      known.asked(basis, Map(id.cluster -> answer), _ => at(began), _ => at(ended), settling)
    }.early(id)

  private def led(began: Long, ended: Long): (ClusterObservation, Long, Long) = (led(100, 5), began, ended)

  test("an answer decides if it was asked for two seconds after the first one, however far apart they are") {
    assert(early(led(0, 10)))
    assert(early(led(0, 10), led(2000, 2010)))
    assert(!early(led(0, 10), led(2010, 2020)))
    assert(!early(led(0, 10), led(9000000, 9000010)))
    assert(!early(led(0, 3000), led(5000, 8000)))
    // The clock was set back.
    assert(early(led(9000, 9010), led(0, 100)))
  }

  test("while it does not answer, its first answer is forgotten, unless nobody has answered yet") {
    val leaderless = answer("orders" -> has().leaderless(0)).of("K1")
    assert(early(led(0, 10), (leaderless, 1000, 1010), led(3000, 3010)))
    assert(early(led(0, 10), (down, 1000, 1010), led(3000, 3010)))
    assert(!early(led(0, 10), (Silent(None), 1000, 1010), led(3000, 3010)))
  }

  test("after it was listed again, and removed again, the next answer is a first one") {
    val first = FirstAnswers.none.asked(basis, Map(id.cluster -> led(100, 5)), _ => begin, _ => begin, settling)
    val back  = StepBasis(read60, listed("eu" -> topics("orders")))
    val again = first.asked(back, Map(id.cluster -> Silent(None)), _ => begin, _ => begin, settling)
    val later = begin.plusSeconds(9)
    assert(again.asked(basis, Map(id.cluster -> led(100, 5)), _ => later, _ => later, settling).early(id))
  }

  test("an answer that takes as long as an election is a first one, unless the one before took as long") {
    assert(early(led(0, 10), led(3000, 9000)))
    assert(early(led(0, 1100), led(3200, 15200)))
    assert(!early(led(0, 10), led(3000, 9000), led(11000, 17000)))
  }

  test("a leader thaws while the rest of its cluster answers") {
    def two(first: Long, second: Option[Long]) = answer("orders" -> {
      val there =
        Present(Some("T1"), (Map(0 -> first) ++ second.map(1 -> _)).transform((_, end) => Extent(0, end, end, Some(5))))
      if (second.isEmpty) there.leaderless(1) else there
    }).of("K1")
    val both60 = Query(fromEarliest).sees(listed("eu" -> topics("orders")))("eu" -> two(100, Some(100)))
      .readSome(_.transform((_, _) => 60L)).held
    val kafka = new WholeLogs
    kafka.now("eu", two(100, None))
    val here = new OpenedDriver(skipping.copy(settling = settling), kafka, () => listed("eu" -> topics()))
    try {
      val first = here.driver.latest(both60, ReadLimits.everything)
      assertEquals(ranges(both60, first), Vector("eu orders 0 60-100"))
      kafka.now("eu", two(100, Some(100)))
      kafka.wakesAfter(Duration.ofMillis(700), "eu", two(100, Some(130)))()
      // What left a partition out is asked in the background.
      val until = System.nanoTime + Duration.ofSeconds(10).toNanos
      val next  =
        Iterator.continually { here.asks.rest(Duration.ofMillis(50)); here.driver.latest(first, ReadLimits.everything) }
          .find(next => ranges(first, next).nonEmpty || System.nanoTime > until).get
      assertEquals(ranges(first, next), Vector("eu orders 1 60-130"))
    } finally here.driver.close()
  }
}
