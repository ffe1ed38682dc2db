package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters, SlowCluster}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.BatchKind

/** A cluster was asked before an election, and its answer comes after a task has read what the new leader got. */
class EarlierEpochSuite extends FunSuite with StepScenes {
  test("what was asked before an election leaves out nothing that was read after it") {
    val clusters = new ScriptedClusters
    clusters.now("eu", SlowCluster.answers(10, epoch = 1))
    val opened = new OpenedDriver(
      skipping.copy(batches = BatchKind.RealTime),
      clusters,
      () => listed("eu" -> topics("orders")),
      begun = new InMemoryDecisionStore
    )
    val live                       = new RealTimeDriver(opened.driver, opened.driver.environment, "test", _ => ())
    def begins(from: SourceOffset) = {
      live.latest(from): Unit
      live.plan(from).map(range => s"${range.id.cluster} ${range.id.partition} ${range.from}")
    }
    def says(part: TakenPart): Unit = live.says(live.number, RealTimeReport(Vector(part))): Unit
    try {
      assertEquals(begins(SourceOffset.initial), Vector("eu 0 0"))
      // The first look asks it, and it takes half a second.
      clusters.hangs("eu")
      says(TakenPart(0, 10, Some(1)))
      Thread.sleep(500)
      // Meanwhile another broker leads, and got five records.
      says(TakenPart(0, 15, Some(2)))
      clusters.wakes("eu", SlowCluster.answers(10, epoch = 1))
      clusters.hangs("eu")
      Thread.sleep(100)
      // Spark ends the batch.
      val ends = live.ends(live.number, RealTimeReport(Vector(TakenPart(0, 15, Some(2)))))
      assertEquals(ends, RealTimeAnswer.Ends: RealTimeAnswer)
      assertEquals(begins(live.merged), Vector("eu 0 15"))
    } finally {
      live.close()
      opened.driver.close()
    }
  }
}
