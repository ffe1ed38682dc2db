package io.github.dynamickafka.spark.kafka

import java.time.Duration

/** How long a look waits for a part of a cluster. Leaves out that the machine's timer keeps time. */
class PatienceSuite extends munit.FunSuite {
  test("the timers of a look end with it") {
    val patience = new TimedPatience(Wait.Whole, Duration.ofHours(1))
    val timers   = Seq(patience.leader, patience.answer, patience.lateAnswer)
    assertEquals(timers.map(_.isDone), Seq(false, false, false))
    patience.over()
    assertEquals(timers.map(_.isDone), Seq(true, true, true))
  }

  test("none of them outlasts the limit of the look") {
    for (wait <- Seq(Wait.Whole, Wait.Short)) {
      val patience = new TimedPatience(wait, Duration.ofMillis(1))
      Seq(patience.leader, patience.answer, patience.lateAnswer, patience.answerAgain).foreach(_.get())
    }
  }
}
