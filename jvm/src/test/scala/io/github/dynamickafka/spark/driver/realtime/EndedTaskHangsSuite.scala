package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A batch ends early. The task of `eu` has ended at once, as it should, or its sink still commits: Spark closes a reader when
  * its task is complete, so it reports on. The task of `us` is still in its sink, for longer than `clusterReadTimeout`. Both
  * clusters are healthy, and records are written to `eu` meanwhile.
  */
class EndedTaskHangsSuite extends FunSuite with LiveScenes {
  // Only `us` has another connection.
  private val changed = listed(
    "eu" -> topics("orders"),
    "us" -> topics("orders").copy(connection = Right(new ConnectionSettings(Map("client.id" -> "another"))))
  )

  private class Ending(policy: ReconcilePolicy)
      extends Live(healthy, both, realTime(policy), options = Map("clusterReadTimeout" -> "3s")) {
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

    def us(): RealTimeAnswer = report(2, TakenPart(1, 5), busy = Vector(1))

    def report(attempt: Long, part: TakenPart, busy: Vector[Int] = Vector.empty): RealTimeAnswer =
      live.says(live.number, RealTimeReport(Vector(part), attempt = attempt, busy = busy))

    // It has nothing more to report, and no record in hand.
    def euReports(): RealTimeAnswer = live.says(live.number, RealTimeReport(Vector.empty, attempt = 1))

    def failed: Boolean = live.current.exists(_.failed.nonEmpty)

    def usEnds(): SourceOffset = {
      assertEquals(
        live.ends(live.number, RealTimeReport(Vector(TakenPart(1, 6)), attempt = 2)),
        RealTimeAnswer.Ends: RealTimeAnswer
      )
      live.merged
    }
  }

  test("under fail the query does not fail") {
    using(new Ending(fromEarliest)) { here =>
      assert(
        !here.within(12000)(here.us().isInstanceOf[RealTimeAnswer.Fails]),
        "eu's task has ended"
      )
    }
  }

  test("under skip the next batch reads the cluster") {
    using(new Ending(skipping)) { here =>
      // Until it is held against eu, which must not be.
      here.within(12000) {
        here.us(): Unit
        here.failed
      }: Unit
      here.looks()
      assertEquals(here.begins(here.usEnds()), Vector("eu 0 10", "us 0 6"))
    }
  }

  test("under fail the query does not fail while a task that has ended is in its sink's commit") {
    using(new Ending(fromEarliest)) { here =>
      assert(
        !here.within(9000) {
          here.euReports(): Unit
          here.us().isInstanceOf[RealTimeAnswer.Fails]
        },
        "eu's task has ended"
      )
    }
  }

  test("under skip the cluster is not called unavailable meanwhile") {
    using(new Ending(skipping)) { here =>
      assert(
        !here.within(9000) {
          here.euReports(): Unit
          here.us(): Unit
          here.failed
        },
        "eu's task has ended"
      )
    }
  }
}
