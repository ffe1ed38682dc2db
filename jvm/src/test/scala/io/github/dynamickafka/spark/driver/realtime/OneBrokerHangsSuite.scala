package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeReport, TakenPart}

/** No packet of an executor reaches the broker that leads partition 0 of `eu`. Partition 1, of another broker, has steady
  * traffic, which the same task reads at once. So now and then, at the moment of a report, it just holds a record of `eu`.
  */
class OneBrokerHangsSuite extends FunSuite with LiveScenes {
  test("under fail the query fails, though the task holds a record of the same cluster in each tenth report") {
    val clusters = new ScriptedClusters
    clusters.now("eu", answer("orders" -> has(0 -> 10, 0 -> 10)))
    using(new Live(clusters, alone, realTime(fromEarliest), options = Map("clusterReadTimeout" -> "2s"))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "eu 1 0"))
      here.says(TakenPart(0, 0), TakenPart(1, 10)): Unit
      var end   = 10
      val fails = here.within(15000) {
        Thread.sleep(100)
        end += 1
        clusters.now("eu", answer("orders" -> has(0 -> 10, 0 -> end)))
        val busy = if (end % 10 == 0) Vector(0, 1) else Vector.empty[Int]
        val said = here.live.says(here.live.number, RealTimeReport(Vector(TakenPart(1, end.toLong)), busy = busy))
        said.isInstanceOf[RealTimeAnswer.Fails]
      }
      assert(fails, "nothing of partition 0 is read, for ever")
    }
  }

  test("control: while the task always holds records of the cluster, as with a slow sink, nothing hangs") {
    val clusters = new ScriptedClusters
    clusters.now("eu", answer("orders" -> has(0 -> 10, 0 -> 1000)))
    using(new Live(clusters, alone, realTime(fromEarliest), options = Map("clusterReadTimeout" -> "2s"))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "eu 1 0"))
      here.says(TakenPart(0, 0), TakenPart(1, 10)): Unit
      var end = 10L
      assert(!here.within(8000) {
        Thread.sleep(100)
        end += 1
        here.live.says(here.live.number, RealTimeReport(Vector(TakenPart(1, end)), busy = Vector(0, 1)))
          .isInstanceOf[RealTimeAnswer.Fails]
      })
    }
  }
}
