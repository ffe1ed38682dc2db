package io.github.dynamickafka.spark.read

import java.io.IOException
import java.time.Duration

import munit.FunSuite
import org.apache.kafka.common.errors.TimeoutException

import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog, ScriptedDriver, WaitingDriver}
import io.github.dynamickafka.spark.plan.RangeEpochs
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** A task finds a log cut off, where loss is allowed. */
class CutInTaskSuite extends FunSuite {
  private val us = range("us", "orders", 0)(0, 4)

  /** Its log is cut off at 3 by a later leader, and grows again. */
  private def shorter: RecordedKafka = new RecordedKafka()
    .holds("eu", "orders", 0)(RecordedLog.of(0, 10, epoch = 1).cut(at = 3, epoch = 2, until = 20))
    .holds("us", "orders", 0)(RecordedLog.of(0, 10))
  private val planned = range("eu", "orders", 0)(0, 6).copy(epochs = RangeEpochs(None, Some(1)))

  test("a log is cut off: the task reports it once, before it ends, under `wait`, too") {
    for (driver <- Seq(new ScriptedDriver(), new WaitingDriver())) {
      val here = new ReaderFixture(shorter, failOnDataLoss = false, tick = Duration.ofMillis(10))
      assertEquals(here.rows(driver, again = false)(planned, us).size, 7)
      val said = driver.reports.toVector.map(_.ranges.map(one => (one.range, one.next, one.cut, one.standstill)))
      assertEquals(said, Vector(Vector((0, 3L, Some(3L), None), (1, 4L, None, None))), driver.defers)
    }
  }

  test("a log is cut off before the first record of its range: the driver hears of it") {
    val driver = new WaitingDriver()
    val here   = new ReaderFixture(shorter, failOnDataLoss = false)
    assertEquals(here.rows(driver, again = false)(planned.copy(from = 4)).size, 0)
    assertEquals(driver.reports.toVector.flatMap(_.ranges).map(_.cut), Vector(Some(3L)))
  }

  test("a log is cut off, and the driver does not answer: the task does not end") {
    val here   = new ReaderFixture(shorter, failOnDataLoss = false)
    val driver = new WaitingDriver(Vector.fill(999)(() => throw new IOException("no answer")): _*)
    intercept[IOException](here.rows(driver, again = false)(planned))
    assert(driver.reports.size > 5, driver.reports.size)
  }

  test(
    "a log is cut off, and nothing more comes of what it has before that: the rest goes back from where it was read to"
  ) {
    val all = shorter
    all.next("eu")(Vector(() => (), () => ()) ++ Vector.fill(100)(() => throw new TimeoutException("no record")): _*)
    val driver = new ScriptedDriver()
    val here   = new ReaderFixture(all, failOnDataLoss = false)
    assertEquals(here.rows(driver, again = false)(planned).size, 2)
    val last = driver.reports.last.ranges.head
    assertEquals((last.next, last.cut, last.standstill.isDefined), (2L, None, true))
    assertEquals(here.figures.lostRecords.value.longValue, 3L)
  }

  test("an attempt that begins with the cut of its partition reads its own piece, and no more") {
    val driver = new ScriptedDriver() {
      override def defers: Boolean                            = false
      override def known(ranges: Vector[Int]): Map[Int, Long] = ranges.map(_ -> 3L).toMap
    }
    val offsets = Seq(us.copy(until = 2) -> Seq(0, 1), us.copy(from = 2) -> Seq(2), us.copy(from = 3) -> Seq())
    for ((piece, expected) <- offsets) {
      val rows = new ReaderFixture(shorter, failOnDataLoss = false).rows(driver, again = true)(piece)
      assertEquals(rows.map(_.split(" ")(3).toInt), expected.toVector, piece)
    }
  }
}
