package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset

/** A mirror was found behind, and the logged offset says so. Then the log moves to another id for a moment, under which nothing
  * is read. The mirror is listed alone again; producers have filled the gap.
  */
class MirrorBehindBetweenSuite extends FunSuite with FailOverRuns {
  for {
    restart      <- Seq(false, true)
    (more, text) <- Seq(15 -> "and has nothing more", 14 -> "is behind too")
  } test(s"a mirror was found behind; another one takes over for a moment $text; restart: $restart") {
    val store = new InMemoryDecisionStore
    val end   = start(store, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
      val found = run.triggers(last)
      run.says("b" -> b(more, 10))
      run.lists(other)
      val onB   = run.triggers(found)
      val again = run.triggers(onB)
      run.says("b" -> down, "new" -> filled, "us" -> us(12))
      if (!restart) {
        run.lists(back)
        assertEquals(ranges(again, run.latest(again)), Vector("us orders 0 10-12"))
      }
      again
    }
    if (restart)
      start(store, back)("new" -> filled, "us" -> us(12)) { run =>
        assertEquals(ranges(end, run.latest(end)), Vector("us orders 0 10-12"))
      }
  }

  for (restart <- Seq(false, true))
    test(
      s"a mirror was found behind; the old id alone is listed for a moment, and has nothing more; restart: $restart"
    ) {
      val store = new InMemoryDecisionStore
      val end   = start(store, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
        val found = run.triggers(last)
        run.says("eu" -> eu(15, 10))
        run.lists(old)
        val again = run.triggers(run.triggers(found))
        run.says("eu" -> down, "new" -> filled, "us" -> us(12))
        if (!restart) {
          run.lists(moved)
          assertEquals(ranges(again, run.latest(again)), Vector("us orders 0 10-12"))
        }
        again
      }
      if (restart)
        start(store, moved)("new" -> filled, "us" -> us(12)) { run =>
          assertEquals(ranges(end, run.latest(end)), Vector("us orders 0 10-12"))
        }
    }

  for (restart <- Seq(false, true))
    test(
      s"a mirror was found behind; the old id is read on without it, and then it is judged anew; restart: $restart"
    ) {
      val store                                 = new InMemoryDecisionStore
      def takesOver(run: Run, at: SourceOffset) = {
        run.says("new" -> mirror(20, 10), "us" -> us(10))
        run.lists(moved)
        assertEquals(ranges(at, run.latest(run.triggers(at))), Vector("new orders 0 18-20"))
      }
      val end = start(store, moved)("new" -> mirror(12, 10), "us" -> us(10)) { run =>
        val found = run.triggers(last)
        run.says("eu" -> eu(18, 10))
        run.lists(old)
        val on = run.triggers(found)
        assertEquals(ranges(found, on), Vector("eu orders 0 15-18"))
        run.says("eu" -> down)
        if (!restart) takesOver(run, on)
        on
      }
      if (restart) start(store, moved)("new" -> mirror(20, 10), "us" -> us(10))(takesOver(_, end))
    }
}
