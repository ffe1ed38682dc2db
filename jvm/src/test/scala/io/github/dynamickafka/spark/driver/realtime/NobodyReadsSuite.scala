package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy

/** `eu` is healthy, and its task has read all of it. Then the executor of that task is lost, and Spark has no slot for the next
  * attempt until another executor comes, or that attempt reads once more what the first one had taken. The task of `us` is well.
  */
class NobodyReadsSuite extends FunSuite with LiveScenes {
  private class Lost(policy: ReconcilePolicy)
      extends Live(healthy, both, realTime(policy), options = Map("clusterReadTimeout" -> "1s")) {
    clusters.now("eu", answer("orders" -> has(0 -> 1000)))
    assertEquals(begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
    eu(attempt = 1, 1000): Unit
    us(): Unit
    // Records are written meanwhile.
    clusters.now("eu", answer("orders" -> has(0 -> 1005)))

    def eu(attempt: Long, next: Long): RealTimeAnswer = report(attempt, TakenPart(0, next))
    def us(): RealTimeAnswer                          = report(2, TakenPart(1, 10))

    private def report(attempt: Long, part: TakenPart) =
      live.says(live.number, RealTimeReport(Vector(part), attempt = attempt))

    def failed: Boolean = live.current.exists(_.failed.contains(ClusterId("eu")))
  }

  test("under fail the query does not fail while no attempt reads") {
    using(new Lost(fromEarliest)) { here =>
      assert(
        !here.within(8000) { Thread.sleep(100); here.us().isInstanceOf[RealTimeAnswer.Fails] },
        "no reader was there"
      )
    }
  }

  test("under skip the cluster is not called unavailable while no attempt reads") {
    using(new Lost(skipping)) { here =>
      assert(!here.within(8000) { Thread.sleep(100); here.us(): Unit; here.failed }, "no reader was there")
    }
  }

  test("a further attempt reads once more what the first one had taken, all the time: it does not hang") {
    using(new Lost(fromEarliest)) { here =>
      var next = 0L
      // Once every 600 ms another record, of a slow line: far from where the first attempt had come to.
      assert(
        !here.within(8000) {
          Thread.sleep(600)
          here.us(): Unit
          next += 1
          here.eu(attempt = 3, next).isInstanceOf[RealTimeAnswer.Fails]
        },
        s"it has read $next records one after the other"
      )
    }
  }
}
