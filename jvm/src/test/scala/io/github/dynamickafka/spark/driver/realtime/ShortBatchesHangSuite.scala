package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, TakenPart}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy

/** Batches are shorter than `clusterReadTimeout`, as with `realTime="1 minute"` and the default of two minutes, or where the
  * metadata change often. No packet of an executor ever reaches `eu`, whose ten records the driver knows.
  */
class ShortBatchesHangSuite extends FunSuite with LiveScenes {
  private val Batches = 8
  private val Length  = 1500L

  /** Whether it was so in any of eight batches, four times `clusterReadTimeout` in all. */
  private def ever(policy: ReconcilePolicy)(claim: Live => Boolean): Boolean =
    using(new Live(healthy, both, realTime(policy), options = Map("clusterReadTimeout" -> "3s"))) { here =>
      var at    = SourceOffset.initial
      var end   = 10L
      var found = false
      for (_ <- 1 to Batches if !found) {
        val ranges = here.begins(at)
        val us     = ranges.indexWhere(_.startsWith("us "))
        here.says(ranges.indices.filter(_ != us).map(TakenPart(_, 0)): _*): Unit
        found = here.within(Length) {
          end += 1
          here.clusters.now("us", answer("orders" -> has(0 -> end.toInt)))
          here.says(TakenPart(us, end)): Unit
          claim(here)
        }
        if (!found) at = here.ends(ranges.indices.map(one => TakenPart(one, if (one == us) end else 0)): _*)
      }
      found
    }

  test("under fail the query fails") {
    assert(ever(fromEarliest)(_.says().isInstanceOf[RealTimeAnswer.Fails]), "each batch begins to wait anew, for ever")
  }

  test("under skip the cluster is shown as unavailable") {
    assert(ever(skipping)(_.unavailable), "nothing of eu is read, and its state is reading")
  }
}
