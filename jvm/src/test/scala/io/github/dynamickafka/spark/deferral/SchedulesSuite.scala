package io.github.dynamickafka.spark.deferral

import scala.concurrent.duration._

import munit.FunSuite

/** Random schedules of the protocol by which a batch defers what it can't read. In an everyday run a few thousand, with
  * the environment's `SCHEDULES` so many, from `SEED` on (`make schedules`).
  */
class SchedulesSuite extends FunSuite {
  override val munitTimeout: Duration = 24.hours

  private val many = sys.env.get("SCHEDULES").fold(3000)(_.toInt)
  private val from = sys.env.get("SEED").fold(if (sys.env.contains("SCHEDULES")) System.nanoTime else 1L)(_.toLong)

  test("over any schedule with crashes at every step each table gets each record once") {
    (0 until many).foreach { number =>
      val seed = from + number
      if (new Schedule(seed).run().isDefined) {
        val again = new Schedule(seed, traced = true)
        val wrong = again.run()
        fail(s"SEED=$seed SCHEDULES=1: $wrong\n${again.trace.mkString("\n")}")
      }
    }
  }
}
