package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.driver.uncommitted.UnreadableRange
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.OffsetRange

/** What was found of a mirror counts where a logged batch was not read, was given back in part, or runs. */
class MirrorFindingsOfBatchesSuite extends FunSuite with FailOverRuns {
  for (control <- Seq(true, false))
    test(
      s"found behind, rolled back; a batch of eu is logged, and eu dies again before it is read; both are listed; control, with no gap filled: $control"
    ) {
      val store        = new InMemoryDecisionStore
      val (found, end) = start(store, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
        val found = run.triggers(last)
        run.says("eu" -> eu(18, 10), "new" -> (if (control) mirror(12, 10) else filled))
        run.lists(beside)
        val end = run.latest(found)
        assertEquals(ranges(found, end), Vector("eu orders 0 15-18"))
        (found, end)
      }
      start(store, beside)("eu" -> down, "new" -> (if (control) mirror(12, 10) else filled), "us" -> us(10)) { run =>
        assert(planned(run, found, end) != "eu 0 15-18", "read from the mirror")
      }
    }

  for (logged <- Seq(true, false))
    test(
      s"found behind, logged: $logged; a batch of eu gives back all that it was to read; killed; the mirror is listed alone"
    ) {
      val store = new InMemoryDecisionStore
      val defer = UnreadableRangePolicy.Defer
      val from  =
        if (logged)
          start(store, moved, quick, unreadable = defer)("new" -> mirror(12, 10), "us" -> us(10))(_.triggers(last))
        else {
          foundOnly(store)
          last
        }
      val end = start(store, old, quick, unreadable = defer)("eu" -> eu(18, 10), "us" -> us(10)) { run =>
        val end = run.triggers(from)
        assertEquals(ranges(from, end), Vector("eu orders 0 15-18"))
        run.driver.plan(from, end): Unit
        val back = OffsetRange(partition("eu", "orders", 0), 15, 18, StreamId("s"))
        run.driver.deferrals.decided(
          Some(1),
          end,
          parts = Vector(UnreadableRange(back, Failure(Condition.ClusterUnreachable, "silent")))
        )
        end
      }
      start(store, moved, quick, unreadable = defer)("new" -> filled, "us" -> us(12)) { run =>
        val next = run.latest(end)
        assert(next.topic(ClusterId("new"), "orders").isEmpty, text(next))
      }
    }

  for (looks <- Seq(true, false))
    test(
      s"Real-Time Mode, one run: found behind by a look: $looks; at the border the old cluster has a new name, then is lost"
    ) {
      val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
      start(store, old, realTime(fromEarliest), kept)("eu" -> eu(10, 10), "us" -> us(10)) { run =>
        def now = run.driver.remembered.last.map(_.reconciled.offset).get
        run.border(begun.held): Unit
        run.driver.beginnings.begins(begun.held, begun.held, () => ())
        run.says("eu" -> down, "new" -> mirror(12, 10))
        run.lists(moved)
        val at =
          if (looks) {
            assert(run.driver.look(last, None).exists(_.step.urgent))
            run.driver.committed(begun.held)
            last
          } else {
            // The control: the border finds it, and its offset says so.
            run.driver.committed(begun.held)
            run.border(last): Unit
            val found = now
            run.driver.beginnings.begins(last, found, () => ())
            found
          }
        run.says("eu2" -> eu(15, 10), "new" -> filled)
        run.lists(renamed)
        assertEquals(run.border(at), Vector("eu2 0 15", "eu2 1 10", "us 0 10"))
        val two = now
        run.driver.beginnings.begins(at, two, () => ())
        run.driver.committed(at)
        run.says("eu2" -> down)
        run.lists(lost)
        assertEquals(run.border(two), Vector("us 0 10"))
      }
    }

  for (first <- Seq(12, 15))
    test(
      s"a mirror that once ended at $first, then the topic was created again on both; it is complete, and takes over"
    ) {
      val store = new InMemoryDecisionStore
      val lossy = quick.copy(failOnDataLoss = false)
      val from  = if (first == 15) last
      else {
        start(store, moved, lossy)("new" -> mirror(first, 10), "us" -> us(10))(_.triggers(last))
      }
      start(
        store,
        if (first == 15) old else moved,
        lossy
      )("eu" -> eu(15, 10), "new" -> mirror(first, 10), "us" -> us(10)) { run =>
        val zero = run.triggers(from)
        run.says("eu" -> said("T5", "K1")(14, 10))
        run.lists(old)
        val anew = run.triggers(run.triggers(run.triggers(zero)))
        assertEquals(anew.get(partition("eu", "orders", 0)).map(_.next), Some(14L), text(anew))
        assert(!text(anew).contains("behind"), text(anew))
        run.says("eu" -> down, "new" -> said("T10", "K2")(16, 10))
        run.lists(moved)
        assertEquals(ranges(anew, run.latest(anew)), Vector("new orders 0 14-16"))
      }
    }

  test(
    "the mirror takes over by its line as MIRROR_BEHIND asks; another start; the old id alone for a moment; line removed"
  ) {
    val store = new InMemoryDecisionStore
    val line  = listed("new" -> next.startingAt("""{"orders":{"0":12,"1":10}}"""), "us" -> names)
    val at    = start(store, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
      val found = run.triggers(last)
      run.lists(line)
      val over = run.triggers(run.triggers(found))
      assert(over.topic(ClusterId("new"), "orders").isDefined, text(over))
      run.says("new" -> mirror(14, 10))
      run.triggers(over)
    }
    start(store, moved)("eu" -> eu(14, 10), "new" -> mirror(14, 10), "us" -> us(10)) { run =>
      run.idle(at)
      run.lists(old)
      val back = run.triggers(run.triggers(at))
      assert(back.topic(ClusterId("eu"), "orders").isDefined, text(back))
      assertEquals(ranges(at, back), Vector.empty)
      run.says("eu" -> down, "new" -> mirror(20, 10))
      run.lists(moved)
      assertEquals(ranges(back, run.latest(back)), Vector("new orders 0 14-20"))
    }
  }

  private def givesBack(run: Run, end: SourceOffset): Unit = {
    val back = OffsetRange(partition("eu", "orders", 0), 13, 15, StreamId("s"))
    val why  = Failure(Condition.ClusterUnreachable, "silent")
    run.driver.deferrals.decided(Some(1), end, parts = Vector(UnreadableRange(back, why)))
  }

  test("the mirror of a left-over batch is found to end at 12; then it runs on the old id, and gives back 13-15") {
    val store = new InMemoryDecisionStore
    start(store, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
      assertEquals(planned(run, begun.held, last), "[DYNAMIC_KAFKA_MIRROR_BEHIND]")
    }
    start(store, old, quick, unreadable = UnreadableRangePolicy.Defer)("eu" -> eu(15, 10), "us" -> us(10)) { run =>
      assertEquals(planned(run, begun.held, last), "eu 0 10-15")
      givesBack(run, last)
      run.says("eu" -> down, "new" -> filled)
      run.lists(moved)
      assertEquals(ranges(last, run.latest(last)), Vector.empty)
    }
  }

  for (logged <- Seq(true, false))
    test(
      s"a running batch gives back 13-15; the mirror is found to end at 12; killed, the next offset was logged: $logged"
    ) {
      val store        = new InMemoryDecisionStore
      val defer        = UnreadableRangePolicy.Defer
      val (first, end) = start(store, old, quick, unreadable = defer)("eu" -> eu(15, 10), "us" -> us(10)) { run =>
        val first = run.triggers(begun.held)
        assertEquals(ranges(begun.held, first), Vector("eu orders 0 10-15"))
        run.driver.plan(begun.held, first): Unit
        givesBack(run, first)
        run.says("eu" -> down, "new" -> mirror(12, 10))
        run.lists(moved)
        (first, run.triggers(first))
      }
      val from = if (logged) end else first
      start(store, moved, quick, unreadable = defer)("new" -> filled, "us" -> us(12)) { run =>
        val next = run.latest(from)
        assert(next.topic(ClusterId("new"), "orders").isEmpty, text(next))
        assertEquals(ranges(from, next), Vector("us orders 0 10-12"))
      }
    }

  for (found <- Seq(true, false); first <- Seq(true, false))
    test(
      s"a logged batch of the renamed old id is not read from the mirror; found: $found; in the first batch: $first"
    ) {
      val store = new InMemoryDecisionStore
      if (found) foundOnly(store)
      val (from, end) =
        start(store, renamed)("eu2" -> eu(if (first) 18 else 15, 10), "new" -> filled, "us" -> us(10)) { run =>
          val from = if (first) last else run.triggers(run.triggers(last))
          run.says("eu2" -> eu(18, 10))
          val end  = run.latest(from)
          assert(end.get(partition("eu2", "orders", 0)).exists(_.next == 18), text(end))
          (from, end)
        }
      start(store, lost)("new" -> filled, "us" -> us(10)) { run =>
        val seen = planned(run, from, end)
        if (found) assertEquals(seen, "[DYNAMIC_KAFKA_MIRROR_BEHIND]") else assert(seen.contains("15-18"), seen)
      }
    }

  test("a logged batch is not read from a mirror that was found behind, where another mirror has taken over") {
    val store = new InMemoryDecisionStore
    foundOnly(store)
    val (from, end) = start(store, other)("b" -> b(15, 10), "us" -> us(10)) { run =>
      val from = run.triggers(run.triggers(last))
      run.says("b" -> b(18, 10))
      val end  = run.latest(from)
      assertEquals(ranges(from, end), Vector("b orders 0 15-18"))
      (from, end)
    }
    start(store, back)("new" -> filled, "us" -> us(10)) { run =>
      assertEquals(planned(run, from, end), "[DYNAMIC_KAFKA_MIRROR_BEHIND]")
    }
  }
}
