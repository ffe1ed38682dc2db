package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{ReaderFailure, TakenPart}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy

/** In Real-Time Mode: a cluster that executors could not read for a while, and can read again. */
class ExecutorReturnSuite extends FunSuite with LiveScenes {
  private val rules = realTime()

  private class Returning(policy: ReconcilePolicy)
      extends Live(healthy, both, policy, options = Map("clusterReadTimeout" -> "1s")) {

    /** The executors can't read `eu`, and a batch later they can: it begins with it. */
    def returned(): Unit = {
      assertEquals(begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
      fails(ReaderFailure("CONDITION", "no DNS here", asks = false), TakenPart(1, 10))
      assert(within(3000)(unavailable))
      assert(endsEarly(8000))
      assertEquals(begins(ends(TakenPart(0, 0), TakenPart(1, 10))), Vector("eu 0 0", "us 0 10"))
    }
  }

  test("a cluster that is read again is not unavailable any more") {
    using(new Returning(rules)) { here =>
      here.returned()
      assertEquals(here.begins(here.ends(TakenPart(0, 5), TakenPart(1, 10))), Vector("eu 0 5", "us 0 10"))
      here.says(TakenPart(0, 10)): Unit
      assert(here.within(5000)(!here.unavailable), "eu is read, and still shown as unavailable")
    }
  }

  test("a drain that gives records all the time is not given up") {
    val soon = rules.copy(removal = rules.removal.copy(drainTimeout = Duration.ofSeconds(1)))
    using(new Returning(soon)) { here =>
      here.returned()
      here.clusters.now("eu", answer("orders" -> has(0 -> 1000)))
      here.next(listed("us" -> topics("orders")))
      assert(here.endsEarly())
      assertEquals(here.begins(here.ends(TakenPart(0, 5), TakenPart(1, 10))), Vector("eu 0 5", "us 0 10"))
      // It gives 10 records each 100 ms, for four times the drainTimeout: only time can show that it is not over.
      (1 to 40).foreach { n =>
        Thread.sleep(100)
        here.says(TakenPart(0, 5L + 10 * n)): Unit
      }
      val next = here.begins(here.ends(TakenPart(0, 405), TakenPart(1, 10)))
      assertEquals(next -> here.driver.remembered.abandonedRecords, Vector("eu 0 405", "us 0 10") -> 0L)
    }
  }
}
