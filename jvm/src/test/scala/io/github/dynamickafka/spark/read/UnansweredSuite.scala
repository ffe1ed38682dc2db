package io.github.dynamickafka.spark.read

import java.io.IOException
import java.time.Duration

import org.apache.kafka.common.errors.TimeoutException

import io.github.dynamickafka.spark.deferral.{DriverLink, TaskReport, Verdict}
import io.github.dynamickafka.spark.fakes.{RecordedKafka, RecordedLog}
import io.github.dynamickafka.spark.read.ReaderFixture.range

/** A driver that does not answer a task is waited for, and not for ever. */
class UnansweredSuite extends munit.FunSuite {

  /** A driver that does not answer so many times, and then lets everybody end. */
  private class Driver(var fails: Int) extends DriverLink {
    override def defers: Boolean                            = true
    override def known(ranges: Vector[Int]): Map[Int, Long] = answers(Map(0 -> 2L))
    override def ask(report: TaskReport): Verdict           = answers(Verdict.Ends)

    private def answers[A](answer: A): A = {
      fails -= 1
      if (fails >= 0) throw new IOException("no answer") else answer
    }
  }

  private val us = range("us", "orders", 0)(0, 4)

  private def kafka = new RecordedKafka().holds("us", "orders", 0)(RecordedLog.of(0, 10))

  test("an action that wants some rows alone waits no longer than the read timeout") {
    val here   = new ReaderFixture(kafka, tick = Duration.ofMinutes(1))
    val driver = new Driver(8)
    val reader = here.linked(driver, again = false)(us)
    assert(reader.next())
    intercept[IOException](reader.close())
    assert(driver.fails > 0, driver.fails)
    assertEquals(here.rows(us).size, 4)
    assertEquals(here.kafka.opened.size, 1, "its consumer was returned")
  }

  test("an attempt that asks for the ends that are decided asks again") {
    val here   = new ReaderFixture(kafka)
    val reader = here.linked(new Driver(1), again = true)(us)
    assertEquals(here.drained(reader).size, 2)
    reader.close()
  }

  test("that there was no answer in a standstill which is long over does not count when it asks again") {
    val nothing = () => throw new TimeoutException("no record")
    val all     = kafka.next("us")(Vector.fill(20)(nothing): _*)
    val here    = new ReaderFixture(all, tick = Duration.ofMillis(100))
    val driver  = new Driver(100)
    all.next("us")(
      () => (),
      nothing,
      () => {
        here.advance(Duration.ofMinutes(5))
        driver.fails = 1
      }
    )
    val reader = here.linked(driver, again = false)(us)
    assertEquals(here.drained(reader).size, 4)
    reader.close()
  }
}
