package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.ask.ClusterWatch
import io.github.dynamickafka.spark.fakes.{ScriptedClusters, SlowCluster}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.TakenPart

/** A cluster was asked before an election, and its answer comes after a task has read what the new leader got. */
class EarlierEpochSuite extends FunSuite with LiveScenes {
  test("what was asked before an election leaves out nothing that was read after it") {
    val clusters = new ScriptedClusters
    clusters.now("eu", SlowCluster.answers(10, epoch = 1))
    using(new Live(clusters)) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      clusters.hangs("eu")
      val asked = clusters.asked.size
      here.says(TakenPart(0, 10, Some(1))): Unit
      assert(here.within(3000)(clusters.asked.size > asked))
      // It takes so long to answer that no border waits for it.
      Thread.sleep(2 * ClusterWatch.Prompt.toMillis)
      // Meanwhile another broker leads, and got five records.
      here.says(TakenPart(0, 15, Some(2))): Unit
      val looked = here.shown.get
      clusters.wakes("eu", SlowCluster.answers(10, epoch = 1))
      clusters.hangs("eu")
      assert(here.within(3000)(here.shown.get != looked))
      // Spark ends the batch.
      assertEquals(here.begins(here.ends(TakenPart(0, 15, Some(2)))), Vector("eu 0 15"))
    }
  }
}
