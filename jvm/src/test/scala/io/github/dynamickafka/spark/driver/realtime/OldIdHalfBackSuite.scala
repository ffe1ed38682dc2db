package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, TopicObservation}

/** A mirror was found behind, and the logged offset says so. The old id is listed again; its cluster answers, and gives
  * nothing of the partition. Then the mirror is listed alone again; producers have filled the gap.
  */
class OldIdHalfBackSuite extends FunSuite with FailOverRuns {
  private def k1(topic: TopicObservation) = answer("orders" -> topic).of("K1")
  private val without                     = only(1 -> (0 -> 10)).of("T1")

  for {
    (text, said, policies) <- Seq[(String, ClusterObservation, Seq[String])](
      ("is down", down, Seq("skip")),
      ("answers, and nobody leads the partition", k1(without.leaderless(0)), Seq("skip")),
      ("answers, and does not show the topic", k1(hidden), Seq("skip")),
      ("leaves the partition out", k1(without), Seq("skip", "fail")),
      ("says once that there is no such topic", k1(absent), Seq("skip", "fail")),
      ("ends below the position, which waits for more asks", eu(11, 10), Seq("skip", "fail"))
    )
    under   <- policies
    restart <- Seq(false, true)
    policy = if (under == "skip") skipping else fromEarliest
  } test(s"the old id $text, under `$under`, restart: $restart") {
    val store = new InMemoryDecisionStore
    val found = start(store, moved, policy)("new" -> mirror(12, 10), "us" -> us(10))(_.triggers(last))
    assert(found.topic(ClusterId("eu"), "orders").exists(_.behind.nonEmpty))
    val end = start(store, beside, policy)("eu" -> said, "new" -> filled, "us" -> us(10)) { run =>
      val back  = run.triggers(found)
      val again = run.triggers(back)
      assertEquals(ranges(found, again), Vector.empty, "nothing is read of eu")
      if (!restart) {
        run.says("eu" -> down, "us" -> us(12))
        run.lists(moved)
        assertEquals(ranges(again, run.latest(again)), Vector("us orders 0 10-12"))
      }
      again
    }
    if (restart)
      start(store, moved, policy)("new" -> filled, "us" -> us(12)) { run =>
        assertEquals(ranges(end, run.latest(end)), Vector("us orders 0 10-12"))
      }
  }

  test("nobody leads the partition, after a start that logged nothing, and the next one is killed") {
    val store = new InMemoryDecisionStore
    foundOnly(store)
    start(store, beside, skipping)("eu" -> k1(without.leaderless(0)), "new" -> filled, "us" -> us(12)) { run =>
      run.latest(last): Unit
    }
    start(store, moved, fromEarliest)("new" -> filled, "us" -> us(12)) { run =>
      assertEquals(ranges(last, run.latest(last)), Vector("us orders 0 10-12"))
    }
  }

  for (logged <- Seq(true, false))
    test(s"nobody leads the partition, and the old cluster is listed under a new name; an offset has it: $logged") {
      val store = new InMemoryDecisionStore
      val found =
        if (logged) start(store, moved)("new" -> mirror(12, 10), "us" -> us(10))(_.triggers(last))
        else {
          foundOnly(store)
          last
        }
      val end = start(store, renamed)("eu2" -> k1(without.leaderless(0)), "new" -> filled, "us" -> us(10)) { run =>
        run.triggers(run.triggers(found))
      }
      start(store, lost)("new" -> filled, "us" -> us(12)) { run =>
        assertEquals(ranges(end, run.latest(end)), Vector("us orders 0 10-12"))
      }
    }

  test("control: the renamed cluster is whole, and the mirror has caught up beside it: it takes over") {
    val store = new InMemoryDecisionStore
    foundOnly(store)
    val end = start(store, renamed)("eu2" -> eu(15, 10), "new" -> mirror(15, 10), "us" -> us(10)) { run =>
      run.triggers(run.triggers(last))
    }
    start(store, lost)("new" -> mirror(17, 10), "us" -> us(10)) { run =>
      assertEquals(ranges(end, run.latest(end)), Vector("new orders 0 15-17"))
    }
  }
}
