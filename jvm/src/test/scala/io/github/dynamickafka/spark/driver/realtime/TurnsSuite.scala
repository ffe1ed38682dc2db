package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeReport, TakenPart}

/** A task catches up with a line, or a quota of its brokers, that is the limit. A broker fills a response with a part of some
  * partitions, and takes the others next time: each has its turn. Rows are made at once, so the task holds none at its reports.
  */
class TurnsSuite extends FunSuite with LiveScenes {
  private val Partitions = 40

  test(
    "under fail the query does not fail while partitions are read in turn, though a round takes longer than the limit"
  ) {
    val clusters = new ScriptedClusters
    clusters.now("eu", answer("orders" -> has(Seq.fill(Partitions)(0 -> 1000000): _*)))
    using(new Live(clusters, alone, realTime(fromEarliest), options = Map("clusterReadTimeout" -> "2s"))) { here =>
      assertEquals(here.begins(SourceOffset.initial).size, Partitions)
      here.says((0 until Partitions).map(TakenPart(_, 0)): _*): Unit
      var turn  = 0
      val fails = here.within(9000) {
        // A round takes four seconds.
        Thread.sleep(100)
        val part = TakenPart(turn % Partitions, (turn / Partitions + 1) * 1000L)
        turn += 1
        here.live.says(here.live.number, RealTimeReport(Vector(part))).isInstanceOf[RealTimeAnswer.Fails]
      }
      assert(!fails, s"$turn partitions were read one after the other")
    }
  }
}
