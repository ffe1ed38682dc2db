package io.github.dynamickafka.spark.kafka.client

import java.time.Duration
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeUnit.MILLISECONDS

import io.github.dynamickafka.spark.ask.WaitMode

/** How long a look waits for a part of a cluster. Leaves out the accuracy of the machine's timer. */
class WaitsSuite extends munit.FunSuite {
  test("the timers of a look end with it") {
    val waits  = new TimedWaits(WaitMode.UntilAnswered, Duration.ofHours(1))
    val timers = Seq(waits.leader, waits.answer, waits.lateAnswer)
    assertEquals(timers.map(_.isDone), Seq(false, false, false))
    waits.end()
    assertEquals(timers.map(_.isDone), Seq(true, true, true))
  }

  test("none of them outlasts the limit of the look") {
    for (waitMode <- Seq(WaitMode.UntilAnswered, WaitMode.Limited)) {
      val waits = new TimedWaits(waitMode, Duration.ofMillis(1))
      // The shortest wait that the limit does not cut takes a second.
      Seq(waits.leader, waits.answer, waits.lateAnswer).foreach(_.get(900, MILLISECONDS))
    }
  }

  test("who needs a leader's answer waits as long as a question may take, and a limited look at most as long") {
    val waits = new TimedWaits(WaitMode.UntilAnswered, Duration.ofMillis(400))
    val began = System.nanoTime
    waits.answer.get(5, TimeUnit.SECONDS)
    assert(System.nanoTime - began >= 390000000L)
    assert(!waits.leader.isDone, "a wait begins when it is used first")
    waits.end()
  }

  test("the answer to each question of a look is waited for anew, and leaders once") {
    for (waitMode <- Seq(WaitMode.UntilAnswered, WaitMode.Limited)) {
      val waits = new TimedWaits(waitMode, Duration.ofHours(1))
      def all   = Seq(waits.answer, waits.lateAnswer, waits.leader)
      all.foreach(_.complete(null))
      assertEquals(all.map(_.isDone), Seq(false, false, true), waitMode)
      waits.end()
    }
  }
}
