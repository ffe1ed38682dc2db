package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, TakenPart}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** A partition is added: the batch is to end. Its tasks take some time for that, and the driver looks again meanwhile. */
class UrgentLooksSuite extends FunSuite with LiveScenes {
  private val line   = listed("eu" -> topics("orders"), "us" -> topics("orders").continuing("eu"))
  private val mirror = listed("us" -> topics("orders").continuing("eu"))

  private def eu(ends: Int*) = answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")
  private def us(ends: Int*) = answer("orders" -> has(ends.map(0 -> _): _*).of("T2")).of("K2")

  private class FailOver(policy: ReconcilePolicy, first: Answered, second: Answered)
      extends Live(new ScriptedClusters, line, policy) {
    clusters.now("eu", first)
    clusters.now("us", second)

    def isBehind: Boolean = driver.remembered.last.exists(_.reconciled.notices.exists {
      case found: Notice.MirrorBehind => found.cluster.value == "us"
      case _                          => false
    })

    def saw(id: String, end: Long): Boolean = within(8000)(driver.remembered.last.exists(
      _.survey.seen.get(ClusterId(id)).flatMap(_.present("orders")).exists(_.partitions(0).latest == end)
    ))
    def looked(topology: Topology): Boolean = within(5000)(driver.remembered.last.exists(_.survey.topology == topology))
    def ending(parts: TakenPart*): Boolean  = within(3000)(says(parts: _*) == RealTimeAnswer.Ends)
  }

  test("control, micro-batches: a mirror that has caught up by its last answer as a standby takes over") {
    using(new FailOver(skipping, eu(500), us(490))) { here =>
      val read = here.driver.latest(SourceOffset.initial, ReadLimits.everything)
      here.clusters.now("eu", eu(500, 0))
      val more = here.driver.latest(read, ReadLimits.everything)
      here.clusters.now("us", us(500, 0))
      here.driver.latest(more, ReadLimits.everything): Unit
      here.next(mirror)
      here.driver.latest(more, ReadLimits.everything): Unit
      assertEquals(here.isBehind, false)
    }
  }

  test("a mirror that has caught up by its last answer as a standby takes over") {
    using(new FailOver(realTime(), eu(500), us(490))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      assertEquals(here.begins(here.ends(TakenPart(0, 500))), Vector("eu 0 500"))
      here.looks()
      here.clusters.now("eu", eu(500, 0))
      assert(here.endsEarly())
      here.clusters.now("us", us(500, 0))
      assert(here.saw("us", 500))
      here.looks()
      here.next(mirror)
      assert(here.looked(mirror))
      assert(here.ending(TakenPart(0, 500)))
      val ranges = here.begins(here.ends(TakenPart(0, 500)))
      assertEquals((here.isBehind, ranges.filter(_.startsWith("us 0"))), (false, Vector("us 0 500")))
    }
  }

  test("what the old id is known to have had beyond counts as abandoned") {
    using(new FailOver(realTime(), eu(520), us(510))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      assertEquals(here.begins(here.ends(TakenPart(0, 500))), Vector("eu 0 500"))
      here.looks()
      here.clusters.now("eu", eu(600, 0))
      assert(here.endsEarly())
      assert(here.saw("eu", 600))
      here.looks()
      here.clusters.now("eu", down)
      here.next(mirror)
      assert(here.looked(mirror))
      assert(here.ending(TakenPart(0, 500)))
      here.begins(here.ends(TakenPart(0, 500))): Unit
      assertEquals(here.driver.remembered.abandonedRecords, 90L)
    }
  }
}
