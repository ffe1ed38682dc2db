package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset

/** What was found of a mirror counts at the positions of its own incarnation, whatever is committed later. */
class FindingsOfIncarnationsSuite extends FunSuite with FailOverRuns {
  private val line  = listed("new" -> next.startingAt("""{"orders":{"0":12,"1":10}}"""), "us" -> names)
  private val lossy = quick.copy(failOnDataLoss = false)
  private val part  = partition("eu", "orders", 0)

  for (before <- Seq(true, false))
    test(
      s"Real-Time Mode: a look finds the mirror behind that was read before, and the commit is before the look: $before"
    ) {
      val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
      val zero          = start(store, moved)("new" -> mirror(15, 10), "us" -> us(10)) { run =>
        val zero = run.triggers(last)
        assert(zero.topic(ClusterId("new"), "orders").isDefined, text(zero))
        zero
      }
      start(store, old, realTime(fromEarliest), kept)("eu" -> eu(15, 10), "us" -> us(10)) { run =>
        assertEquals(run.border(zero), Vector("eu 0 15", "eu 1 10", "us 0 10"))
        val now = run.driver.remembered.last.map(_.reconciled.offset).get
        run.driver.beginnings.begins(zero, now, () => ())
        val at = now.moved(Map(part -> 20L))
        if (before) run.driver.committed(zero)
        run.says("eu" -> down, "new" -> mirror(17, 10))
        run.lists(moved)
        assert(run.driver.look(at, None).exists(_.step.urgent))
        if (!before) run.driver.committed(zero)
        run.says("new" -> filled)
        assertEquals(run.border(at), Vector("us 0 10"))
      }
    }

  for (before <- Seq(true, false))
    test(s"Real-Time Mode: so it is with another mirror than the first, and the commit is before the look: $before") {
      val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
      val zero          = start(store, other)("b" -> b(15, 10), "us" -> us(10)) { run =>
        val zero = run.triggers(last)
        assert(zero.topic(ClusterId("b"), "orders").isDefined, text(zero))
        zero
      }
      start(store, back, realTime(fromEarliest), kept)("new" -> mirror(15, 10), "us" -> us(10)) { run =>
        assertEquals(run.border(zero), Vector("new 0 15", "new 1 10", "us 0 10"))
        val now = run.driver.remembered.last.map(_.reconciled.offset).get
        run.driver.beginnings.begins(zero, now, () => ())
        val at = now.moved(Map(partition("new", "orders", 0) -> 20L))
        if (before) run.driver.committed(zero)
        run.says("new" -> down, "b" -> b(17, 10))
        run.lists(other)
        assert(run.driver.look(at, None).exists(_.step.urgent))
        if (!before) run.driver.committed(zero)
        run.says("b" -> b(30, 10))
        assertEquals(run.border(at), Vector("us 0 10"))
      }
    }

  for (before <- Seq(true, false))
    test(
      s"Real-Time Mode: so it is where the topic was created again at the border, and the commit is before the look: $before"
    ) {
      val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
      start(store, old, realTime(lossy), kept)("eu" -> said("T5", "K1")(2, 2), "us" -> us(10)) { run =>
        assertEquals(run.border(last).filter(_.startsWith("eu")), Vector("eu 0 0", "eu 1 0"))
        val now = run.driver.remembered.last.map(_.reconciled.offset).get
        run.driver.beginnings.begins(last, now, () => ())
        val at = now.moved(Map(part -> 8L))
        if (before) run.driver.committed(last)
        run.says("eu" -> down, "new" -> said("T10", "K2")(5, 10))
        run.lists(moved)
        assert(run.driver.look(at, None).exists(_.step.urgent))
        if (!before) run.driver.committed(last)
        run.says("new" -> said("T10", "K2")(30, 10))
        assertEquals(run.border(at), Vector("us 0 10"))
      }
    }

  for {
    async        <- Seq(true, false)
    (later, txt) <- Seq(line -> "its line is still listed", moved -> "its line is gone")
  } test(
    s"a mirror took over by its line, and the old id was listed for a moment; $txt; asynchronous progress: $async"
  ) {
    start(new InMemoryDecisionStore, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
      if (async) run.driver.progressIsAsynchronous()
      val zero = run.triggers(last)
      run.lists(line)
      val one = run.triggers(zero)
      run.says("new" -> mirror(15, 10))
      val at  = run.triggers(run.triggers(one))
      assertEquals(at.get(partition("new", "orders", 0)).map(_.next), Some(15L), text(at))
      run.says("eu" -> eu(15, 10))
      run.lists(old)
      val home = run.triggers(run.triggers(at))
      assertEquals(ranges(at, home), Vector.empty)
      assert(home.topic(ClusterId("eu"), "orders").isDefined)
      run.says("eu" -> down, "new" -> mirror(20, 10))
      run.lists(later)
      assertEquals(ranges(home, run.latest(home)), Vector("new orders 0 15-20"))
    }
  }

  for (found <- Seq(true, false))
    test(s"a topic is created again, and its complete mirror takes over; the mirror was found behind before: $found") {
      val store = new InMemoryDecisionStore
      if (found)
        start(store, moved, fromEarliest)("new" -> mirror(12, 10), "us" -> down)(run => fails(run.latest(last)))
      start(store, old, lossy)("eu" -> said("T5", "K1")(14, 10), "us" -> us(10)) { run =>
        val anew = run.triggers(run.triggers(run.triggers(last)))
        assertEquals(anew.get(part).map(_.next), Some(14L), text(anew))
        run.says("eu" -> down, "new" -> said("T10", "K2")(16, 10))
        run.lists(moved)
        assertEquals(ranges(anew, run.latest(anew)), Vector("new orders 0 14-16"))
      }
    }

  private def end(offset: SourceOffset) =
    offset.topic(ClusterId("eu"), "orders").flatMap(_.mirrorEnd(ClusterId("new"), 0))

  for (async <- Seq(true, false))
    test(s"a mirror that was found behind twice is behind where it was found last; asynchronous progress: $async") {
      start(new InMemoryDecisionStore, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
        if (async) run.driver.progressIsAsynchronous()
        val zero = run.triggers(last)
        run.says("eu" -> eu(40, 10))
        run.lists(old)
        val on = run.triggers(zero)
        assertEquals(ranges(zero, on), Vector("eu orders 0 15-40"))
        run.says("eu" -> down, "new" -> mirror(35, 10))
        run.lists(moved)
        assertEquals(end(run.latest(on)), Some(35L))
      }
    }

  for (before <- Seq(true, false))
    test(s"so it is in Real-Time Mode within one batch; a look found it before: $before") {
      val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
      start(store, old, realTime(fromEarliest), kept)("eu" -> eu(10, 10), "us" -> us(10)) { run =>
        def now = run.driver.remembered.last.map(_.reconciled.offset).get
        assertEquals(run.border(begun.held), Vector("eu 0 10", "eu 1 10", "us 0 10"))
        run.driver.beginnings.begins(begun.held, begun.held, () => ())
        if (before) {
          run.says("eu" -> down, "new" -> mirror(12, 10))
          run.lists(moved)
          run.driver.look(last, None): Unit
        }
        run.says("eu" -> eu(40, 10))
        run.lists(old)
        run.driver.look(last.moved(Map(partition("eu", "orders", 0) -> 20L)), None): Unit
        val at = last.moved(Map(partition("eu", "orders", 0) -> 40L))
        run.says("eu" -> down, "new" -> mirror(35, 10))
        run.lists(moved)
        run.driver.look(at, None): Unit
        run.driver.committed(begun.held)
        run.border(at): Unit
        assertEquals(end(now), Some(35L))
      }
    }

  test("Real-Time Mode: a mirror that was found at 17 of 20 has not caught up while the query reads from 15 again") {
    val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    start(store, beside, realTime(), kept)("eu" -> eu(15, 10), "new" -> mirror(15, 10), "us" -> us(10)) { run =>
      def now = run.driver.remembered.last.map(_.reconciled.offset).get
      assertEquals(run.border(two), Vector("eu 0 15", "eu 1 10", "us 0 10"))
      run.driver.beginnings.begins(two, now, () => ())
      val at = now.moved(Map(partition("eu", "orders", 0) -> 20L))
      run.says("eu" -> down, "new" -> mirror(17, 10))
      run.lists(moved)
      assert(run.driver.look(at, None).exists(_.step.urgent))
    }
    val at2 =
      start(store, beside, realTime(), kept)("eu" -> eu(20, 10), "new" -> mirror(17, 10), "us" -> us(10)) { run =>
        def now = run.driver.remembered.last.map(_.reconciled.offset).get
        assertEquals(run.border(two), Vector("eu 0 15", "eu 1 10", "us 0 10"))
        run.driver.beginnings.begins(two, now, () => ())
        val at2 = now.moved(Map(partition("eu", "orders", 0) -> 20L))
        run.driver.committed(two)
        at2
      }
    start(store, moved, realTime(), kept)("new" -> filled, "us" -> us(10)) { run =>
      assertEquals(run.border(at2).filter(_.startsWith("new 0")), Vector.empty)
    }
  }
}
