package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{ReaderFailure, TakenPart}

/** In Real-Time Mode: a drain of a cluster that the metadata service calls inactive, and that the executors can't read. It is
  * given up at its first failed try, and not before that.
  */
class InactiveDrainSuite extends FunSuite with LiveScenes {
  private val removed = listed("eu" -> topics().inactive, "us" -> topics("orders"))
  private val noDns   = ReaderFailure("CONDITION", "no DNS here", asks = false)

  private class Removed extends Live(healthy, both, realTime(), options = Map("clusterReadTimeout" -> "1s")) {
    assertEquals(begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
    next(removed)
    assert(endsEarly())

    def over: SourceOffset                    = ends(TakenPart(0, 0), TakenPart(1, 10))
    def drains(offset: SourceOffset): Boolean = offset.topics.exists(_._3.drains)
  }

  test("it is given up at the first try that fails") {
    using(new Removed) { here =>
      assertEquals(here.begins(here.over), Vector("eu 0 0", "us 0 10"))
      here.fails(noDns)
      assert(here.endsEarly(8000))
      val next = here.live.latest(here.over)
      assert(!here.drains(next), "the border forgets that the executors have tried it, which the look still knew")
    }
  }

  test("what the batch from before the removal could not read is no failed try of the drain") {
    using(new Removed) { here =>
      // Its tasks have not ended yet, and the reader fails.
      here.fails(noDns)
      // The driver looks at the failure.
      here.looks()
      val next = here.live.latest(here.over)
      assertEquals(here.drains(next) -> here.driver.remembered.abandonedRecords, true -> 0L)
    }
  }
}
