package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset

/** What was found of a mirror counts as long as the log is read no further, and no longer. */
class MirrorFindingsSuite extends FunSuite with FailOverRuns {
  private val line   = listed("new" -> next.startingAt("""{"orders":{"0":12,"1":10}}"""), "us" -> names)
  private val usOnly = Vector("us orders 0 10-12")

  for (idles <- Seq(true, false))
    test(
      s"an ordinary lagging standby is found behind by a step that fails; the trigger before read on; idle in between: $idles"
    ) {
      val store = new InMemoryDecisionStore
      val end = start(store, beside, fromEarliest)("eu" -> eu(20, 10), "new" -> mirror(17, 10), "us" -> us(10)) { run =>
        val on = run.triggers(two)
        assertEquals(ranges(two, on), Vector("eu orders 0 15-20"))
        if (idles) run.idle(on)
        run.says("eu" -> down, "us" -> down)
        run.lists(moved)
        fails(run.latest(on))
        on
      }
      start(store, moved, fromEarliest)("new" -> filled, "us" -> us(12)) { run =>
        assertEquals(ranges(end, run.latest(end)), usOnly)
      }
    }

  test("Real-Time Mode: a look saw the standby within the batch; the border finds it behind and fails") {
    val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    val end           =
      start(store, beside, realTime(fromEarliest), kept)("eu" -> eu(15, 10), "new" -> mirror(17, 10), "us" -> us(10)) {
        run =>
          run.border(two): Unit
          val now = run.driver.remembered.last.fold(two)(_.reconciled.offset)
          run.driver.beginnings.begins(two, now, () => ())
          run.says("eu" -> eu(20, 10))
          assert(run.driver.look(now.moved(Map(partition("eu", "orders", 0) -> 16L)), None).isRight)
          val at = now.moved(Map(partition("eu", "orders", 0) -> 20L))
          run.driver.committed(two)
          run.says("eu" -> down, "us" -> down)
          run.lists(moved)
          fails(run.border(at))
          at
      }
    start(store, moved, realTime(fromEarliest), kept)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(run.border(end), Vector("us 0 10"))
    }
  }

  test("found by a start that logged nothing; then the old cluster is listed under a new name, and is lost again") {
    val store = new InMemoryDecisionStore
    foundOnly(store)
    val end = start(store, renamed, fromEarliest)("eu2" -> eu(15, 10), "new" -> filled, "us" -> us(10)) { run =>
      val end = run.triggers(run.triggers(last))
      assertEquals(ranges(last, end), Vector.empty)
      assert(end.topic(ClusterId("eu2"), "orders").isDefined)
      end
    }
    start(store, lost, fromEarliest)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(ranges(end, run.latest(end)), usOnly)
    }
  }

  test("found by a start that logged nothing; then another mirror takes over for a moment") {
    val store = new InMemoryDecisionStore
    foundOnly(store)
    val end = start(store, other, fromEarliest)("b" -> b(15, 10), "us" -> us(10)) { run =>
      val end = run.triggers(run.triggers(last))
      assertEquals(ranges(last, end), Vector.empty)
      assert(end.topic(ClusterId("b"), "orders").isDefined)
      end
    }
    start(store, back, fromEarliest)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(ranges(end, run.latest(end)), usOnly)
    }
  }

  for (logged <- Seq(true, false))
    test(
      s"one run under skip; an election leaves a partition of the mirror without leader: ${!logged}; another one takes over for a moment"
    ) {
      start(new InMemoryDecisionStore, moved)(
        "new" -> (if (logged) mirror(12, 10)
                  else answer("orders" -> only(0 -> (0 -> 12)).leaderless(1).of("T9")).of("K2")),
        "us" -> us(10)
      ) { run =>
        val zero = run.triggers(run.triggers(last))
        run.says("b" -> b(15, 10))
        run.lists(other)
        val end = run.triggers(run.triggers(zero))
        assertEquals(ranges(last, end), Vector.empty)
        assert(end.topic(ClusterId("b"), "orders").isDefined)
        run.says("b" -> down, "new" -> filled, "us" -> us(12))
        run.lists(back)
        assertEquals(ranges(end, run.latest(end)), usOnly)
      }
    }

  for (list <- Seq("old", "beside"))
    test(
      s"the logged offset says it is behind; eu is back ($list), a batch of it is logged, and eu dies before it is read"
    ) {
      val store        = new InMemoryDecisionStore
      val (found, end) = start(store, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
        val found = run.triggers(last)
        assert(text(found).contains("behind"))
        run.says("eu" -> eu(18, 10))
        run.lists(if (list == "old") old else beside)
        val end = run.latest(found)
        assertEquals(ranges(found, end), Vector("eu orders 0 15-18"))
        (found, end)
      }
      start(store, moved)("new" -> filled, "us" -> us(10)) { run =>
        assertEquals(planned(run, found, end), "[DYNAMIC_KAFKA_MIRROR_BEHIND]")
      }
    }

  test("the logged batch is not read from a mirror that was found by a start that logged nothing") {
    val store = new InMemoryDecisionStore
    foundOnly(store)
    val end = start(store, old)("eu" -> eu(18, 10), "us" -> us(10)) { run =>
      val end = run.latest(last)
      assertEquals(ranges(last, end), Vector("eu orders 0 15-18"))
      end
    }
    start(store, moved)("new" -> filled, "us" -> us(10)) { run =>
      assertEquals(planned(run, last, end), "[DYNAMIC_KAFKA_MIRROR_BEHIND]")
    }
  }

  for {
    first        <- Seq(12, 15)
    (later, txt) <- Seq(line -> "its line is still listed", moved -> "its line is gone")
    restart      <- Seq(false, true)
  } test(
    s"a mirror that first ended at $first takes over by its line 12, is read to 15; the old id alone for a moment; $txt; restart: $restart"
  ) {
    val store = new InMemoryDecisionStore
    val end   = start(store, line)("new" -> mirror(first, 10), "us" -> us(10)) { run =>
      val zero = run.triggers(last)
      run.says("new" -> mirror(15, 10))
      val at   = run.triggers(run.triggers(zero))
      assertEquals(ranges(last, zero) ++ ranges(zero, at), Vector("new orders 0 12-15"))
      run.says("eu" -> eu(15, 10))
      run.lists(old)
      val back = run.triggers(run.triggers(at))
      assertEquals(ranges(at, back), Vector.empty)
      assert(back.topic(ClusterId("eu"), "orders").isDefined)
      run.says("eu" -> down, "new" -> mirror(20, 10))
      if (!restart) {
        run.lists(later)
        assertEquals(ranges(back, run.latest(back)), Vector("new orders 0 15-20"))
      }
      back
    }
    if (restart)
      start(store, later)("new" -> mirror(20, 10), "us" -> us(10)) { run =>
        assertEquals(ranges(end, run.latest(end)), Vector("new orders 0 15-20"))
      }
  }

  for (restart <- Seq(false, true))
    test(s"the end in the error is the one that was found at this position; restart: $restart") {
      val store                                   = new InMemoryDecisionStore
      def check(run: Run, at: SourceOffset): Unit = {
        run.says("eu" -> down, "new" -> mirror(18, 10))
        run.lists(moved)
        val end = run.latest(at)
        assertEquals(
          end.topic(ClusterId("eu"), "orders").flatMap(_.mirrorEnd(ClusterId("new"), 0)),
          Some(18L),
          text(end)
        )
      }
      val end = start(store, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
        val found = run.triggers(last)
        run.says("eu" -> eu(20, 10))
        run.lists(old)
        val on = run.triggers(found)
        assertEquals(ranges(found, on), Vector("eu orders 0 15-20"))
        if (!restart) check(run, on)
        on
      }
      if (restart) start(store, moved)("new" -> mirror(18, 10), "us" -> us(10))(check(_, end))
    }

  for (first <- Seq(12, 15))
    test(s"the line of an earlier move, when the mirror ended at $first, does not count in the next one") {
      start(new InMemoryDecisionStore, line)("new" -> mirror(first, 10), "us" -> us(10)) { run =>
        val zero = run.triggers(last)
        run.says("new" -> mirror(30, 10))
        val at   = run.triggers(run.triggers(zero))
        assertEquals(
          run.driver.remembered.last.map(_.reconciled.offset.get(partition("new", "orders", 0)).map(_.next)),
          Some(Some(30L))
        )
        run.says("eu" -> eu(40, 10))
        run.lists(old)
        val back = run.triggers(run.triggers(run.triggers(at)))
        assertEquals(ranges(at, back), Vector("eu orders 0 30-40"))
        run.says("eu" -> down, "new" -> mirror(35, 10))
        run.lists(line)
        val held = run.triggers(back)
        run.says("new" -> mirror(50, 10))
        assertEquals(ranges(back, run.triggers(held)), Vector.empty)
      }
    }

  for (read <- Seq(true, false))
    test(s"a standby whose last answer ends below the position is held; it was read itself before: $read") {
      start(new InMemoryDecisionStore, old)("eu" -> eu(15, 10), "new" -> mirror(15, 10), "us" -> us(10)) { run =>
        val at = if (read) {
          run.lists(moved)
          val zero = run.triggers(last)
          run.says("new" -> mirror(20, 10))
          val on   = run.triggers(zero)
          assertEquals(ranges(last, on), Vector("new orders 0 15-20"))
          run.says("eu" -> eu(20, 10))
          run.lists(old)
          run.triggers(run.triggers(on))
        } else {
          run.says("eu" -> eu(20, 10))
          run.triggers(last)
        }
        assert(at.get(partition("eu", "orders", 0)).exists(_.next == 20), text(at))
        run.says("new" -> mirror(17, 10))
        run.lists(beside)
        val calm = run.triggers(run.triggers(at))
        run.idle(calm)
        run.says("eu" -> down, "new" -> filled)
        run.lists(moved)
        assertEquals(ranges(calm, run.latest(calm)), Vector.empty)
      }
    }
}
