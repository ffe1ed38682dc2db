package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.deferral.{TakenRange, TaskReport}
import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{
  DirectLink,
  InMemoryDecisionStore,
  RecordedKafka,
  RecordedLog,
  UncleanElection
}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{Deferred, SourceOffset}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.{OffsetRange, ReadLimits}
import io.github.dynamickafka.spark.read.ReaderFixture
import io.github.dynamickafka.spark.topology.Topology

/** `failOnDataLoss=false`: a task finds its log cut off at 6, which the driver can't find itself later: the first leader leads
  * again, or a mirror takes over, or brokers give no epochs and the log is written further.
  */
class KeptCutSuite extends FunSuite with StepScenes {
  private def election(back: Boolean, epochs: Boolean) = {
    val kafka = new UncleanElection(had = 10, has = 20, back, epochs)
    // A mirror, which has all that the first leader had.
    kafka.now("us", answer("orders" -> has(0 -> 20).of("T2")).of("K2"))
    kafka
  }

  private val lossy   = fromEarliest.copy(failOnDataLoss = false)
  private val orders0 = topics("orders")
  private val alone   = listed("eu" -> orders0)
  private val moved   = listed("us" -> orders0.continuing("eu"))

  private def log(old: Boolean) = new RecordedKafka().holds("eu", "orders", 0)(
    // Old brokers: it ends at 6, and nothing says why.
    if (old) RecordedLog.of(0, 6) else RecordedLog.of(0, 10, epoch = 1).cut(at = 6, epoch = 2, until = 20)
  )

  /** The offsets that a task of this batch reads. */
  private def reads(driver: SourceDriver, batch: Vector[OffsetRange], kafka: RecordedKafka, again: Boolean = false) =
    new ReaderFixture(kafka, failOnDataLoss = false).rows(new DirectLink(driver), again)(batch: _*)
      .map(_.split(" ")(3)).mkString(" ")

  for (asynchronous <- Seq(false, true); after <- Seq("back", "mirror", "old brokers"))
    test(s"the driver is killed after the next batch, whose offset is durable=${!asynchronous}; $after") {
      val old                = after == "old brokers"
      val kafka              = election(back = after == "back", epochs = !old)
      val store              = new InMemoryDecisionStore
      val begun              = new InMemoryDecisionStore
      @volatile var metadata = alone
      def open               = {
        val opened = new OpenedDriver(lossy, kafka, () => metadata, store = store, begun = begun)
        if (asynchronous) opened.driver.progressIsAsynchronous()
        opened
      }
      var opened = open
      try {
        val batch = opened.driver.latest(SourceOffset.initial, ReadLimits.everything)
        val plan  = opened.driver.plan(SourceOffset.initial, batch)
        assertEquals(reads(opened.driver, plan, log(old)), "0 1 2 3 4 5")
        kafka.elects()
        if (after == "mirror") {
          metadata = moved
          opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
        }
        // The next batch reads two records.
        val more = opened.driver.latest(batch, ReadLimits(Some(2), None, aligned = true))
        opened.driver.committed(more)
        opened.driver.close()
        opened = open
        val from = if (asynchronous) batch else more
        val next = opened.driver.latest(from, ReadLimits.everything)
        val id   = if (after == "mirror") "us" else "eu"
        assertEquals(ranges(from, next), Vector(s"$id orders 0 ${if (asynchronous) 6 else 8}-20"))
      } finally opened.driver.close()
    }

  /** A driver whose running batch reads 0 to 10, and all of the log, as tasks find it when the first leader leads again. */
  private def later(unreadable: UnreadableRangePolicy, old: Boolean, asynchronous: Boolean = false)(
      body: (SourceDriver, Vector[OffsetRange], RecordedKafka, () => Vector[String]) => Unit
  ): Unit = {
    val kafka  = election(back = true, epochs = !old)
    val driver = new OpenedDriver(lossy, kafka, () => alone, unreadable).driver
    if (asynchronous) driver.progressIsAsynchronous()
    try {
      val batch = driver.latest(SourceOffset.initial, ReadLimits.everything)
      val plan  = driver.plan(SourceOffset.initial, batch)
      val whole = if (old) RecordedLog.of(0, 20) else RecordedLog.of(0, 20, epoch = 1)
      kafka.elects()
      body(
        driver,
        plan,
        new RecordedKafka().holds("eu", "orders", 0)(whole),
        () => ranges(batch, driver.latest(batch, ReadLimits.everything))
      )
    } finally driver.close()
  }

  for {
    unreadable   <- Seq(UnreadableRangePolicy.Wait, UnreadableRangePolicy.Defer)
    asynchronous <- Seq(false, true)
    old          <- Seq(false, true) if !old || unreadable == UnreadableRangePolicy.Wait
  } test(
    s"an attempt finds the cut and fails: its retry reads no further; $unreadable, asynchronous=$asynchronous, old=$old"
  ) {
    later(unreadable, old, asynchronous) { (driver, plan, whole, next) =>
      assertEquals(reads(driver, plan, log(old)), "0 1 2 3 4 5")
      assertEquals(reads(driver, plan, whole, again = true), "0 1 2 3 4 5")
      assertEquals(next(), Vector("eu orders 0 6-20"))
    }
  }

  for (some <- Seq(false, true))
    test(s"defer: another action reads no further than one that has found the cut; it wanted some rows alone: $some") {
      later(UnreadableRangePolicy.Defer, old = false) { (driver, plan, whole, next) =>
        // As a task says it that is closed early.
        if (some) new DirectLink(driver).ask(TaskReport(Vector(TakenRange(0, 6, cut = Some(6))), partial = true)): Unit
        else assertEquals(reads(driver, plan, log(old = false)), "0 1 2 3 4 5")
        val error = intercept[DynamicKafkaException](reads(driver, plan, whole))
        assert(error.getMessage.contains("The next attempt reads exactly as far"), error)
        assertEquals(reads(driver, plan, whole, again = true), "0 1 2 3 4 5")
        assertEquals(next(), Vector("eu orders 0 6-20"))
      }
    }

  for {
    (how, next, more) <- Seq(
      ("it is listed again", alone, Vector("eu orders 0 6-20")),
      ("a mirror continues it", moved, Vector("us orders 0 6-20")),
      ("it stays off the list", listed("eu" -> topics()), Vector.empty)
    )
    brokers <- Seq("back", "cut", "old brokers")
  } test(s"a removed topic drains, and a task finds the cut; $how; $brokers") {
    val (back, old)        = (brokers == "back", brokers == "old brokers")
    val kafka              = election(back, epochs = !old)
    @volatile var metadata = alone
    val opened             = new OpenedDriver(lossy, kafka, () => metadata)
    import opened.driver
    def sees(now: Topology): Unit = {
      metadata = now
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
    }
    def until(offset: SourceOffset)(over: SourceOffset => Boolean): SourceOffset =
      Iterator.iterate(offset) { at =>
        val next = driver.latest(at, ReadLimits.everything)
        opened.asks.rest(Duration.ofMillis(100))
        next
      }.take(60).find(over).getOrElse(fail("it does not happen"))
    try {
      val batch = driver.latest(SourceOffset.initial, ReadLimits(Some(2), None, aligned = true))
      sees(listed("eu" -> topics()))
      val drain = until(batch)(ranges(batch, _).nonEmpty)
      val plan  = driver.plan(batch, drain)
      assertEquals(plan.map(one => (one.from, one.until, one.removed)), Vector((2L, 10L, true)))
      assertEquals(reads(driver, plan, log(old)), "2 3 4 5")
      kafka.elects()
      sees(next)
      var at = drain
      for (_ <- 1 to 5) { at = driver.latest(at, ReadLimits.everything); opened.asks.rest(Duration.ofMillis(100)) }
      assertEquals(ranges(drain, at), more)
      assertEquals(driver.deferred(at), Map.empty[ClusterId, Deferred.Unread])
      if (more.isEmpty) assert(at.topics.forall(!_._3.drains), at)
    } finally driver.close()
  }
}
