package io.github.dynamickafka.spark.driver.trigger

import java.time.{Clock, Duration, Instant}

import munit.FunSuite

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.{Agreement, ClusterObservation}

/** A broker does not answer for a while, since it was frozen or starts again. Then its answers are out of date for some
  * tenths of a second. However long the first one took, they agree over that short time alone.
  */
class LateFirstAnswerSuite extends FunSuite with StepScenes {
  private val eu    = listed("eu" -> topics("orders"))
  private val off   = listed("eu" -> topics())
  private val begun = Query(fromEarliest)

  private def orders(id: Option[String], end: Int) = {
    val log = has(0 -> end)
    answer("orders" -> id.fold(log)(log.of(_))).of("K1")
  }
  private def held(id: Option[String] = Some("T2")) = begun.sees(eu)("eu" -> orders(id, 10)).read.held
  private val gone                                  = answer("orders" -> absent).of("K1")

  /** It hangs for this time, and is out of date for 300 ms from then on. */
  private def thaws(hangs: Long, stale: ClusterObservation, later: ClusterObservation): ScriptedClusters = {
    val kafka = new ScriptedClusters
    kafka.hangs("eu")
    kafka.wakesAfter(Duration.ofMillis(hangs), "eu", stale)()
    kafka.wakesAfter(Duration.ofMillis(hangs + 300), "eu", later)()
    kafka
  }

  private def opened[A](policy: ReconcilePolicy, kafka: ScriptedClusters, clock: Clock = Clock.systemUTC)(
      body: OpenedDriver => A
  ): A = {
    val here = new OpenedDriver(policy, kafka, () => eu, clock = clock)
    try body(here)
    finally here.driver.close()
  }

  /** What is read first, or the error. */
  private def reads(here: OpenedDriver, from: SourceOffset): Vector[String] = {
    val end                                    = System.nanoTime + Duration.ofSeconds(10).toNanos
    def next(at: SourceOffset): Vector[String] = {
      val to = here.driver.latest(at, ReadLimits.everything)
      if (to != at && ranges(at, to).nonEmpty || System.nanoTime > end) ranges(at, to)
      else {
        here.asks.rest(Duration.ofMillis(50))
        next(to)
      }
    }
    try next(from)
    catch { case e: DynamicKafkaException => Vector(e.condition.name) }
  }

  private val rest  = Vector("eu orders 0 10-15")
  private val quick = fromEarliest.copy(agreement = Duration.ofSeconds(1))

  for (loss <- Seq(false, true))
    test(s"it has the id of an earlier topic; loss allowed: $loss") {
      val kafka = thaws(2500, orders(Some("T1"), 20), orders(Some("T2"), 15))
      opened(fromEarliest.copy(failOnDataLoss = !loss), kafka)(here => assertEquals(reads(here, held()), rest))
    }

  test("it has the known id of a topic that was created again while it was off the list") {
    val removed = begun.sees(eu)("eu" -> orders(Some("T1"), 10)).read.after(Duration.ofMinutes(1))
      .sees(off)("eu" -> orders(Some("T1"), 10)).read.held
    val clock = Clock.offset(Clock.systemUTC, Duration.between(Instant.now, begin.plus(Duration.ofHours(1))))
    val kafka = thaws(2500, orders(Some("T1"), 10), orders(Some("T2"), 7))
    opened(fromEarliest.copy(settling = Duration.ofSeconds(2)), kafka, clock) { here =>
      assertEquals(reads(here, removed), Vector("eu orders 0 0-7"))
    }
  }

  for ((id, loss) <- Seq((Some("T2"), false), (None, true)))
    test(s"it has no topics yet; topic ids: ${id.isDefined}, loss allowed: $loss") {
      val kafka = thaws(900, gone, orders(id, 15))
      opened(quick.copy(failOnDataLoss = !loss), kafka)(here => assertEquals(reads(here, held(id)), rest))
    }

  test("a run of AvailableNow: it has no topics yet") {
    opened(quick, thaws(900, gone, orders(Some("T2"), 15))) { here =>
      here.driver.freeze()
      assertEquals(reads(here, held()), rest)
    }
  }

  test("its log ends too early, without epochs") {
    val kafka = thaws(900, orders(None, 6), orders(None, 15))
    opened(quick.copy(failOnDataLoss = false), kafka)(here => assertEquals(reads(here, held(None)), rest))
  }

  for (
    (what, stale, hangs) <- Seq(
      ("it has no topics yet", gone, 0L),
      ("it has no topics yet, later", gone, 900L),
      ("it has the id of an earlier topic", orders(Some("T1"), 20), 900L)
    );
    loss <- Seq(false, true)
  ) test(s"an uncommitted batch: $what; loss allowed: $loss") {
    val kafka = thaws(hangs, stale, orders(Some("T2"), 15))
    opened(quick.copy(failOnDataLoss = !loss), kafka) { here =>
      val plan = here.driver.plan(SourceOffset.initial, held())
      assertEquals(plan.map(range => range.from -> range.until), Vector(0L -> 10L))
    }
  }

  private def asked(sent: Long, came: Long) = Agreement.of(begin.plusMillis(sent), begin.plusMillis(came))
  private val second                        = Duration.ofSeconds(1)

  test("the time begins when the first answer comes, and ends when the newest request is sent") {
    val first = asked(0, 5000)
    assert(!first.spans(second))
    assert(!first.and(first).spans(second), "the same answer again")
    assert(!first.and(asked(5100, 9000)).spans(second))
    assert(first.and(asked(5100, 9000)).and(asked(9100, 9200)).spans(second))
  }

  test("it begins again if the clock was set back, during a request or between two") {
    val during = asked(0, -5000)
    assert(!during.spans(second))
    assertEquals(during.and(asked(-4900, -4800)), asked(-4900, -4800))
    assertEquals(asked(0, 100).and(asked(-4900, -4800)), asked(-4900, -4800))
  }
}
