package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId

/** A mirror that is to take over ends below what was read. No offset says so yet, and the driver starts again. Meanwhile
  * producers have filled the gap.
  */
class MirrorFoundBehindSuite extends FunSuite with FailOverRuns {
  private val After = Seq(false -> "after that step fails by another cluster", true -> "after the driver is killed")

  for {
    (stoodBy, now, text) <- Seq(
      (None, mirror(12, 10), "was never asked before"),
      (Some(12), mirror(12, 10), "stood by with the same end"),
      (Some(11), mirror(12, 10), "stood by with a lower end"),
      (Some(12), filled, "stood by, and was refilled before it was asked again")
    )
    (killed, after) <- After
    mode = "micro-batches"
  } test(s"$mode: one that $text is held in the next start, $after") {
    val store = new InMemoryDecisionStore
    val first = if (stoodBy.isEmpty) moved else beside
    start(store, first, fromEarliest)("eu" -> eu(15, 10), "new" -> mirror(stoodBy.getOrElse(12), 10), "us" -> us(10)) {
      run =>
        if (stoodBy.isDefined) run.idle(two)
        // eu is lost. Its mirror is listed in its place.
        run.says("eu" -> down, "new" -> now)
        run.lists(moved)
        if (!killed) run.says("us" -> down)
        if (killed) assertEquals(ranges(two, run.latest(two)), Vector.empty) else fails(run.latest(two))
    }
    start(store, moved, fromEarliest)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(ranges(two, run.latest(two)), Vector("us orders 0 10-12"))
    }
  }

  for {
    (looks, text)   <- Seq(true -> "was found so while a batch ran", false -> "is found so at its end")
    (killed, after) <- After
    mode = "Real-Time Mode"
  } test(s"$mode: one that $text is held in the next start, $after") {
    val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    start(store, old, realTime(fromEarliest), kept)("eu" -> eu(10, 10), "us" -> us(10)) { run =>
      assertEquals(run.border(begun.held), Vector("eu 0 10", "eu 1 10", "us 0 10"))
      run.driver.beginnings.begins(begun.held, begun.held, () => ())
      // The batch reads up to 15. Then eu dies, and the list says so.
      run.says("eu" -> down, "new" -> mirror(12, 10))
      run.lists(moved)
      if (looks) assert(run.driver.look(last, None).exists(_.step.urgent))
      run.driver.committed(begun.held)
      if (!killed) run.says("us" -> down)
      if (killed) assertEquals(run.border(last), Vector("us 0 10")) else fails(run.border(last))
    }
    start(store, moved, realTime(fromEarliest), kept)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(run.border(last), Vector("us 0 10"))
    }
  }

  test("so is one that was paused meanwhile") {
    val store  = new InMemoryDecisionStore
    val paused = listed("new" -> next.paused, "us" -> names)
    start(store, moved, fromEarliest)("new" -> mirror(12, 10), "us" -> down)(run => fails(run.latest(last)))
    val end = start(store, paused, fromEarliest)("new" -> filled, "us" -> us(12)) { run =>
      val end = run.triggers(last)
      assertEquals(ranges(last, end), Vector("us orders 0 10-12"))
      run.says("us" -> us(13))
      run.triggers(end)
    }
    start(store, moved, fromEarliest)("new" -> filled, "us" -> us(13)) { run =>
      assertEquals(ranges(end, run.latest(end)), Vector.empty)
    }
  }

  for (answers <- Seq(true, false))
    test(s"so is one that last stood by before a rename, which answers meanwhile: $answers") {
      val store = new InMemoryDecisionStore
      val first = listed("eu" -> names, "new" -> three, "us" -> names)
      val from  = Query(quick).sees(first)("eu" -> eu(15, 10), "new" -> mirror(12, 10), "us" -> us(10)).read.held
      val end   = start(store, first)("eu" -> eu(15, 10), "new" -> mirror(12, 10), "us" -> us(10)) { run =>
        val zero = run.latest(from)
        run.says("new" -> (if (answers) mirror(12, 10) else down), "eu2" -> eu(15, 10))
        run.lists(renamed)
        val end = run.latest(run.triggers(zero))
        assert(end.topic(ClusterId("eu2"), "orders").isDefined, text(end))
        run.says("eu2" -> down, "new" -> mirror(12, 10))
        run.lists(lost)
        // It is killed before the next offset is logged.
        assertEquals(ranges(end, run.latest(end)), Vector.empty)
        end
      }
      start(store, lost)("new" -> filled, "us" -> us(12)) { run =>
        assertEquals(ranges(end, run.latest(end)), Vector("us orders 0 10-12"))
      }
    }

  test("a standby that has caught up takes over in the next start, though nothing was committed since") {
    val store = new InMemoryDecisionStore
    // The driver starts again with a left-over batch, while eu is away for a moment.
    start(store, beside)("eu" -> down, "new" -> mirror(12, 10), "us" -> us(10)) { run =>
      fails(run.driver.plan(one.held, two))
    }
    start(store, beside)("eu" -> eu(15, 10), "new" -> mirror(15, 10), "us" -> us(10)) { run =>
      assertEquals(run.driver.plan(one.held, two).map(_.id.cluster), Vector(ClusterId("eu")))
      run.idle(two)
    }
    movesOn(store, two)
  }

  for (when <- Seq("while the query runs", "before the roll-back"))
    test(s"so does one that was listed alone too early, and has caught up $when") {
      val store = new InMemoryDecisionStore
      val end   = start(store, moved)("eu" -> eu(15, 10), "new" -> mirror(12, 10), "us" -> us(10)) { run =>
        val early = run.triggers(two)
        assertEquals(ranges(two, early), Vector.empty)
        run.idle(early)
        if (when == "before the roll-back") run.says("new" -> mirror(15, 10))
        run.lists(beside)
        val back = run.triggers(early)
        assertEquals(text(back).contains("behind"), when == "while the query runs", text(back))
        run.says("new" -> mirror(15, 10))
        val calm = if (when == "while the query runs") run.triggers(back) else back
        assert(!text(calm).contains("behind"), text(calm))
        run.idle(calm)
        calm
      }
      movesOn(store, end)
    }
}
