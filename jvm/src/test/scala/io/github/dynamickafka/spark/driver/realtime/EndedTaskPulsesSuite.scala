package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A batch ends early. The source of `eu`'s task is over, but its task is not: its sink commits, as Kafka's producer does when
  * it flushes. Spark closes a reader when its task is complete, so its pulse goes on every 300 ms. Records are written to `eu`
  * meanwhile. The task of `us` is still in its sink.
  */
class EndedTaskPulsesSuite extends FunSuite with LiveScenes {
  private val changed = listed(
    "eu" -> topics("orders"),
    "us" -> topics("orders").copy(connection = Right(new ConnectionSettings(Map("client.id" -> "another"))))
  )

  private class Committing(policy: ReconcilePolicy)
      extends Live(healthy, both, realTime(policy), options = Map("clusterReadTimeout" -> "2s")) {
    assertEquals(begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
    report(1, TakenPart(0, 10)): Unit
    us(): Unit
    next(changed)
    assert(endsEarly())
    assertEquals(
      live.ends(live.number, RealTimeReport(Vector(TakenPart(0, 10)), attempt = 1)),
      RealTimeAnswer.Ends: RealTimeAnswer
    )
    clusters.now("eu", more)

    def us(): RealTimeAnswer =
      live.says(live.number, RealTimeReport(Vector(TakenPart(1, 5)), attempt = 2, busy = Vector(1)))

    // It has nothing to say any more, and no record in hand.
    def euPulse(): RealTimeAnswer = live.says(live.number, RealTimeReport(Vector.empty, attempt = 1))

    def failed: Boolean = live.current.exists(_.failed.contains(ClusterId("eu")))

    private def report(attempt: Long, part: TakenPart) =
      live.says(live.number, RealTimeReport(Vector(part), attempt = attempt))
  }

  test("under fail the query does not fail while a task that has ended is in its sink's commit") {
    using(new Committing(fromEarliest)) { here =>
      assert(
        !here.within(7000) {
          Thread.sleep(100)
          here.euPulse(): Unit
          here.us().isInstanceOf[RealTimeAnswer.Fails]
        },
        "eu's task has ended"
      )
    }
  }

  test("under skip the cluster is not called unavailable meanwhile") {
    using(new Committing(skipping)) { here =>
      assert(
        !here.within(7000) {
          Thread.sleep(100)
          here.euPulse(): Unit
          here.us(): Unit
          here.failed
        },
        "eu's task has ended"
      )
    }
  }
}
