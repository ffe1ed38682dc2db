package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._

/** A standby ended below the position in its last answer. A look at a running batch sees another mirror listed alone, which
  * could take over: that step is not taken. At the border the standby is listed alone; producers have filled the gap.
  */
class LookDropsNothingSuite extends FunSuite with FailOverRuns {

  for (
    (end, text) <- Seq(
      None     -> "there is no such look",
      Some(15) -> "that mirror has nothing more",
      Some(20) -> "that mirror has more"
    )
  )
    test(s"a standby that ended below the position is held, and $text") {
      val kept = new InMemoryDecisionStore
      start(new InMemoryDecisionStore, beside, realTime(), kept)(
        "eu"  -> eu(15, 10),
        "new" -> mirror(12, 10),
        "us"  -> us(10)
      ) { run =>
        assertEquals(run.border(two), Vector("eu 0 15", "eu 1 10", "us 0 10"))
        run.driver.beginnings.begins(two, two, () => ())
        run.says("eu" -> down, "new" -> filled)
        end.foreach { records =>
          run.says("b" -> b(records, 10))
          run.lists(other)
          assert(run.driver.look(two, None).exists(_.step.urgent))
          run.says("b" -> down)
        }
        run.lists(moved)
        assertEquals(run.border(two), Vector("us 0 10"))
      }
    }

  for (
    (between, text) <- Seq(
      None         -> "no other start in between",
      Some(old)    -> "it lists the old id alone",
      Some(beside) -> "it lists both"
    )
  )
    test(s"found by a start that logged nothing, then a start that reads nothing and is killed: $text") {
      val store = new InMemoryDecisionStore
      start(store, moved, fromEarliest)("new" -> mirror(12, 10), "us" -> down)(run => fails(run.latest(last)))
      between.foreach { list =>
        start(store, list, fromEarliest)("eu" -> eu(15, 10), "new" -> mirror(12, 10), "us" -> us(12)) { run =>
          run.latest(last): Unit
        }
      }
      start(store, moved, fromEarliest)("new" -> filled, "us" -> us(12)) { run =>
        assertEquals(ranges(last, run.latest(last)), Vector("us orders 0 10-12"))
      }
    }
}
