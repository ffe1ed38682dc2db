package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._

/** With `asyncProgressTrackingEnabled` Spark asks for the next offset before the last one is in its log, and logs only some. */
class MirrorBehindAsynchronousSuite extends FunSuite with FailOverRuns {
  for ((triggers, text) <- Seq(1 -> "after one trigger", 2 -> "after two triggers"))
    test(s"a mirror is found behind; the driver is killed $text, before an offset is in Spark's log") {
      val store = new InMemoryDecisionStore
      start(store, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
        run.driver.progressIsAsynchronous()
        (1 to triggers).foldLeft(last)((at, _) => run.triggers(at)): Unit
      }
      start(store, moved)("new" -> filled, "us" -> us(12)) { run =>
        run.driver.progressIsAsynchronous()
        assertEquals(ranges(last, run.latest(last)), Vector("us orders 0 10-12"))
      }
    }
}
