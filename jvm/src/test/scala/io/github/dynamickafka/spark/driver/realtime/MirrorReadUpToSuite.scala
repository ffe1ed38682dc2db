package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.InMemoryDecisionStore
import io.github.dynamickafka.spark.fakes.Situations._

/** Two Kafka clusters with the same records. The list goes to and fro while records come. */
class MirrorReadUpToSuite extends FunSuite with FailOverRuns {
  private val only1 = listed("eu" -> names, "us" -> names)
  private val flip  = listed("new" -> next, "us" -> names)

  for (looks <- Seq(true, false))
    test(s"Real-Time Mode: what was read itself up to the position reads on after a flap; a look saw the end: $looks") {
      val (store, kept) = (new InMemoryDecisionStore, new InMemoryDecisionStore)
      start(store, only1, realTime(fromEarliest), kept)("eu" -> eu(10, 10), "new" -> mirror(10, 10), "us" -> us(10)) {
        run =>
          def now = run.driver.remembered.last.map(_.reconciled.offset).get
          // The position goes to `new`, then back to eu, which reads.
          run.lists(flip)
          assertEquals(run.border(begun.held), Vector("new 0 10", "new 1 10", "us 0 10"))
          val b1 = now
          run.driver.beginnings.begins(begun.held, b1, () => ())
          // five more come and are taken
          run.says("eu" -> eu(15, 10), "new" -> mirror(15, 10))
          val end = b1.moved(Map(partition("new", "orders", 0) -> 15L))
          if (looks) run.driver.look(end, None): Unit
          run.driver.committed(begun.held)
          run.lists(only1)
          assertEquals(run.border(end), Vector("eu 0 15", "eu 1 10", "us 0 10"))
          val b2 = now
          run.driver.beginnings.begins(end, b2, () => ())
          run.driver.committed(end)
          run.lists(flip)
          assertEquals(run.border(b2), Vector("new 0 15", "new 1 10", "us 0 10"))
      }
    }
}
