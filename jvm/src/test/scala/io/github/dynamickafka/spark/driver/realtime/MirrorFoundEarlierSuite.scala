package io.github.dynamickafka.spark.driver.realtime

import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.driver.uncommitted.{DecisionStore, UnreadableRange}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure}
import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.OffsetRange

/** As [[MirrorFoundBehindSuite]], where the logged position has moved since the mirror was found behind, or the mirror is
  * not to take over any more.
  */
class MirrorFoundEarlierSuite extends FunSuite with FailOverRuns {
  private def planned(run: Run) = run.driver.plan(begun.held, last)

  test("found behind by a look at a real-time batch, it is held where the driver is killed once that batch is logged") {
    val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    looked(store, kept)(_.driver.committed(begun.held))
    start(store, moved, realTime(fromEarliest), kept)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(run.border(last), Vector("us 0 10"))
    }
  }

  test("so is one that AvailableNow finds in place of a batch that was logged then") {
    val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    looked(store, kept)(_ => ())
    start(store, moved, quick, kept)("new" -> filled, "us" -> us(12)) { run =>
      run.driver.freeze()
      val error = intercept[DynamicKafkaException](planned(run): Unit)
      assertEquals(error.condition, Condition.MirrorBehind: Condition)
    }
  }

  test("so is one of a log that the batch had begun under a new name") {
    val named         = listed("eu2" -> names.continuing("eu"), "us" -> names)
    val moved2        = listed("new" -> names.continuing("eu", "eu2"), "us" -> names)
    val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
    start(store, named, realTime(fromEarliest), kept)("eu2" -> eu(10, 10), "us" -> us(10)) { run =>
      assertEquals(run.border(begun.held), Vector("eu2 0 10", "eu2 1 10", "us 0 10"))
      val now = run.driver.remembered.last.fold(begun.held)(_.reconciled.offset)
      run.driver.beginnings.begins(begun.held, now, () => ())
      run.says("eu2" -> down, "new" -> mirror(8, 10))
      run.lists(moved2)
      val at = now.moved(Map(partition("eu2", "orders", 0) -> 15L))
      assert(run.driver.look(at, None).exists(_.step.urgent))
    }
    start(store, moved2, realTime(fromEarliest), kept)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(run.border(begun.held), Vector("us 0 10"))
    }
  }

  for (led <- Seq(false, true))
    test(s"so is one of which a running batch gave back a part, where all its partitions are led: $led") {
      val store        = new InMemoryDecisionStore
      val defer        = UnreadableRangePolicy.Defer
      val (first, end) = start(store, old, quick, unreadable = defer)("eu" -> eu(15, 10), "us" -> us(10)) { run =>
        val first = run.triggers(begun.held)
        assertEquals(ranges(begun.held, first), Vector("eu orders 0 10-15"))
        run.driver.plan(begun.held, first): Unit
        // eu dies while the batch runs.
        val back = OffsetRange(partition("eu", "orders", 0), 13, 15, StreamId("s"))
        val why  = Failure(Condition.ClusterUnreachable, "silent")
        run.driver.deferrals.decided(Some(1), first, parts = Vector(UnreadableRange(back, why)))
        val unled = answer("orders" -> only(0 -> (0 -> 12)).leaderless(1).of("T9")).of("K2")
        run.says("eu" -> down, "new" -> (if (led) mirror(12, 10) else unled), "us" -> us(12))
        run.lists(moved)
        val next = run.triggers(first)
        assertEquals(ranges(first, next), Vector("us orders 0 10-12"))
        (first, next)
      }
      // It was killed while that batch ran.
      start(store, moved, quick, unreadable = defer)("new" -> filled, "us" -> us(12)) { run =>
        assertEquals(run.driver.plan(first, end).map(_.id.cluster.value), Vector("us"))
        assertEquals(ranges(end, run.latest(end)), Vector.empty)
      }
    }

  for (restart <- Seq(false, true))
    test(s"one that catches up while it is paused takes over after the pause, with a restart: $restart") {
      val store  = new InMemoryDecisionStore
      val paused = listed("new" -> next.paused, "us" -> names)
      val end    = start(store, beside)("eu" -> eu(15, 10), "new" -> mirror(12, 10), "us" -> us(10)) { run =>
        val zero = run.triggers(two)
        run.lists(paused)
        val one = run.triggers(zero)
        run.says("new" -> mirror(15, 10))
        val end = run.triggers(run.triggers(one))
        if (!restart) {
          run.says("new" -> mirror(17, 10))
          run.lists(moved)
          assertEquals(ranges(end, run.latest(end)), Vector("new orders 0 15-17"))
        }
        end
      }
      if (restart) movesOn(store, end)
    }

  test("one that has caught up takes over, though the run of AvailableNow in between had nothing to read") {
    val store = new InMemoryDecisionStore
    start(store, beside)("eu" -> down, "new" -> mirror(12, 10), "us" -> us(10)) { run =>
      run.driver.freeze()
      fails(run.driver.plan(one.held, two))
    }
    start(store, beside)("eu" -> eu(15, 10), "new" -> mirror(15, 10), "us" -> us(10)) { run =>
      run.driver.freeze()
      assertEquals(run.driver.plan(one.held, two).map(_.id.cluster.value), Vector("eu"))
      assertEquals(text(run.latest(two)), text(two))
    }
    movesOn(store, two)
  }

  test("so does one that was listed alone too early, with runs of AvailableNow") {
    val store = new InMemoryDecisionStore
    start(store, moved, fromEarliest)("new" -> mirror(12, 10), "us" -> down) { run =>
      run.driver.freeze()
      fails(run.latest(two))
    }
    start(store, beside, fromEarliest)("eu" -> eu(15, 10), "new" -> mirror(15, 10), "us" -> us(10)) { run =>
      run.driver.freeze()
      assertEquals(text(run.latest(two)), text(two))
    }
    movesOn(store, two)
  }

  test("an idle query whose mirror is behind does not write at each trigger") {
    val writes = new AtomicInteger
    val store  = new DecisionStore {
      private val kept                       = new InMemoryDecisionStore
      override def name: String              = "kept"
      override def read(): Option[String]    = kept.read()
      override def write(text: String): Unit = {
        writes.incrementAndGet(): Unit
        kept.write(text)
      }
    }
    start(store, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
      (1 to 50).foldLeft(run.triggers(last))((at, _) => run.triggers(at)): Unit
      assert(writes.get <= 5, s"${writes.get} writes in 50 idle triggers")
    }
  }
}
