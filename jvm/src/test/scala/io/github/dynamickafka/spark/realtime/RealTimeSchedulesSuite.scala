package io.github.dynamickafka.spark.realtime

import scala.concurrent.duration._

import munit.FunSuite

/** Random schedules of batches in Real-Time Mode. In an everyday run a few thousand, with the environment's `SCHEDULES` so
  * many, from `SEED` on (`make schedules`).
  */
class RealTimeSchedulesSuite extends FunSuite {
  override val munitTimeout: Duration = 24.hours

  private val many = sys.env.get("SCHEDULES").fold(3000)(_.toInt)
  private val from = sys.env.get("SEED").fold(if (sys.env.contains("SCHEDULES")) System.nanoTime else 1L)(_.toLong)

  test(
    "over any schedule with crashes at every step committed batches have each record once, from where it first began"
  ) {
    (0 until many).foreach { number =>
      val seed = from + number
      if (new RealTimeSchedule(seed).run().isDefined) {
        val again = new RealTimeSchedule(seed, traced = true)
        val wrong = again.run()
        fail(s"SEED=$seed SCHEDULES=1: $wrong\n${again.trace.mkString("\n")}")
      }
    }
  }

  test("schedules crash, retry tasks, switch triggers, and log asynchronously") {
    val seen = (0 until 300).map(seed => new RealTimeSchedule(seed.toLong, traced = true)).flatMap { one =>
      one.run(): Unit
      one.trace
    }
    Seq(
      "killed before a beginning is written",
      "killed while tasks run",
      "RunsAgain",
      "ReadsOn",
      "micro-batch",
      "refused",
      "goes back over 2 batches",
      "killed while a beginning waits for a commit",
      "a beginning has waited for a commit",
      "is created again"
    ).foreach(text => assert(seen.exists(_.contains(text)), text))
  }
}
