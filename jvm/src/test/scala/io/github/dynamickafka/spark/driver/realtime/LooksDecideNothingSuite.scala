package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{ScriptedClusters, SlowCluster}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, TakenPart}

/** What looks at a running batch of Real-Time Mode find is decided at its border. */
class LooksDecideNothingSuite extends FunSuite with LiveScenes {

  test("a removal ends the batch within a second, though where the drain ends is not asked yet") {
    using(new Live(healthy, both, realTime().copy(settling = Duration.ofSeconds(2)))) { here =>
      assertEquals(here.begins(SourceOffset.initial).size, 2)
      here.says(TakenPart(0, 10), TakenPart(1, 10)): Unit
      here.looks()
      here.next(alone)
      assert(here.endsEarly(1500))
    }
  }

  test("a log with an earlier leader epoch is read on once it was held for long enough") {
    val clusters = new ScriptedClusters
    clusters.now("eu", SlowCluster.answers(10, epoch = 5))
    using(new Live(clusters, policy = realTime().copy(agreement = Duration.ofSeconds(2)))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      here.says(TakenPart(0, 10, Some(5))): Unit
      here.looks()
      val at = here.ends(TakenPart(0, 10, Some(5)))
      clusters.now("eu", SlowCluster.answers(20, epoch = 2))
      assertEquals(here.begins(at), Vector.empty)
      assert(here.within(10000)(here.says() == RealTimeAnswer.Ends))
      assertEquals(here.begins(here.ends()), Vector("eu 0 10"))
    }
  }
}
