package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._

/** A mirror was found behind by a start that logged nothing. The next start lists the old id again, which is still down, and
  * fails or is killed. Then the mirror is listed alone again; producers have filled the gap.
  */
class ForgottenTooSoonSuite extends FunSuite with FailOverRuns {
  private val oldPaused = listed("eu" -> names.paused, "new" -> next, "us" -> names)

  private def found(store: InMemoryDecisionStore): Unit =
    start(store, moved, fromEarliest)("new" -> mirror(12, 10), "us" -> down)(run => fails(run.latest(last)))

  private def held(store: InMemoryDecisionStore): Unit =
    start(store, moved, fromEarliest)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(ranges(last, run.latest(last)), Vector("us orders 0 10-12"))
    }

  test("control: no start in between") {
    val store = new InMemoryDecisionStore
    found(store)
    held(store)
  }

  test("rolled back under `fail`, the old id is down, and that start fails") {
    val store = new InMemoryDecisionStore
    found(store)
    start(store, beside, fromEarliest)("eu" -> down, "new" -> filled, "us" -> us(12))(run => fails(run.latest(last)))
    held(store)
  }

  test("rolled back under `skip`, the old id is down, and the driver is killed before the offset is logged") {
    val store = new InMemoryDecisionStore
    found(store)
    start(store, beside, quick)("eu" -> down, "new" -> filled, "us" -> us(12))(run => run.latest(last): Unit)
    held(store)
  }

  test("control: rolled back under `skip`, the old id is down, and the offset is logged") {
    val store = new InMemoryDecisionStore
    found(store)
    val end = start(store, beside, quick)("eu" -> down, "new" -> filled, "us" -> us(10))(run => run.triggers(last))
    start(store, moved, fromEarliest)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(ranges(end, run.latest(end)), Vector("us orders 0 10-12"))
    }
  }

  test("control: the first start had logged it, then rolled back under `fail`, the old id is down") {
    val store = new InMemoryDecisionStore
    val end   = start(store, moved, fromEarliest)("new" -> mirror(12, 10), "us" -> us(10))(run => run.triggers(last))
    start(store, beside, fromEarliest)("eu" -> down, "new" -> filled, "us" -> us(12))(run => fails(run.latest(end)))
    start(store, moved, fromEarliest)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(ranges(end, run.latest(end)), Vector("us orders 0 10-12"))
    }
  }

  test("the old id is listed paused under `fail`, and another cluster fails that start") {
    val store = new InMemoryDecisionStore
    found(store)
    start(store, oldPaused, fromEarliest)("eu" -> down, "new" -> filled, "us" -> down)(run => fails(run.latest(last)))
    held(store)
  }

  test("Real-Time Mode: found by a look, rolled back, the old id is down, that start fails") {
    val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    looked(store, kept)(_.driver.committed(begun.held))
    start(store, beside, realTime(fromEarliest), kept)("eu" -> down, "new" -> filled, "us" -> us(12)) { run =>
      fails(run.border(last))
    }
    start(store, moved, realTime(fromEarliest), kept)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(run.border(last), Vector("us 0 10"))
    }
  }
}
