package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, TakenPart}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy

/** In Real-Time Mode the executors reach another Kafka cluster under a known id, as with a wrong entry in their hosts file. The
  * driver reaches the right one.
  */
class OnlyExecutorsSeeSuite extends FunSuite with LiveScenes {

  /** Two batches in a row: the reader of `eu` finds another cluster. */
  private class Twice(policy: ReconcilePolicy)
      extends Live(healthy, both, realTime(policy.copy(agreement = Duration.ofMillis(50)))) {
    private def refused() = fails(ReaderFailure("DYNAMIC_KAFKA_CLUSTER_CHANGED", "another id", asks = true))

    begins(SourceOffset.initial): Unit
    refused()
    assert(endsEarly())
    begins(ends(TakenPart(0, 0), TakenPart(1, 10))): Unit
    refused()
  }

  test("under skip the cluster is shown as unavailable, for nothing of it is read") {
    using(new Twice(skipping))(here => assert(here.within(5000)(here.unavailable)))
  }

  test("under fail the query fails") {
    using(new Twice(fromEarliest)) { here =>
      assert(here.within(5000)(here.says().isInstanceOf[RealTimeAnswer.Fails]), here.says())
    }
  }
}
