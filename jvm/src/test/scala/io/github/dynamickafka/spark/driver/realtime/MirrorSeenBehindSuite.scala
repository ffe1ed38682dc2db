package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.realtime.TakenPart
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.report.Notice

/** An unplanned fail-over: one change of the metadata takes the old cluster off and lists its mirror. The mirror ends below the
  * position in its first answer, and producers fill the gap a second later.
  */
class MirrorSeenBehindSuite extends FunSuite with LiveScenes {
  private val mirror = listed("us" -> topics("orders").continuing("eu"))

  private def records(end: Int) = answer("orders" -> has(0 -> end))

  final private class FailOver(policy: ReconcilePolicy) extends Live(new ScriptedClusters, policy = policy) {
    clusters.now("eu", records(500))
    clusters.now("us", records(490))

    def fills(): Unit = clusters.now("us", records(510))

    def isBehind: Boolean = driver.remembered.last.exists(_.reconciled.notices.exists {
      case found: Notice.MirrorBehind => found.cluster.value == "us"
      case _                          => false
    })
  }

  test("control: with micro-batches it stays held") {
    using(new FailOver(skipping)) { here =>
      val read = here.driver.latest(SourceOffset.initial, ReadLimits.everything)
      here.next(mirror)
      val held = here.driver.latest(read, ReadLimits.everything)
      assert(here.isBehind)
      here.fills()
      val later = here.driver.latest(held, ReadLimits.everything)
      assertEquals(here.isBehind -> ranges(held, later), true -> Vector.empty[String])
    }
  }

  test("in Real-Time Mode it stays held") {
    using(new FailOver(realTime())) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      assertEquals(here.begins(here.ends(TakenPart(0, 500))), Vector("eu 0 500"))
      here.next(mirror)
      assert(here.endsEarly())
      assert(here.clusters.asked.contains("us"), "it was not asked yet, so this test shows nothing")
      here.fills()
      val ranges = here.begins(here.ends(TakenPart(0, 500)))
      assertEquals(here.isBehind -> ranges, true -> Vector.empty[String])
    }
  }
}
