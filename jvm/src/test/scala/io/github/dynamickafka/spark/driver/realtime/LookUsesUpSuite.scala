package io.github.dynamickafka.spark.driver.realtime

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{ScriptedClusters, UncleanElection}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.realtime.{RealTimeAnswer, TakenPart}
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** A look at a running batch takes a step that is never logged. What it has found out must still be known at the border. */
class LookUsesUpSuite extends FunSuite with LiveScenes {
  private val line   = listed("eu" -> topics("orders"), "us" -> topics("orders").continuing("eu"))
  private val mirror = listed("us" -> topics("orders").continuing("eu"))

  private def eu(end: Int) = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def us(end: Int) = answer("orders" -> has(0 -> end).of("T2")).of("K2")

  private class FailOver(policy: ReconcilePolicy, first: Topology = line, ends: (Int, Int) = (500, 500))
      extends Live(new ScriptedClusters, first, policy) {
    clusters.now("eu", eu(ends._1))
    clusters.now("us", us(ends._2))

    def isBehind: Boolean = driver.remembered.last.exists(_.reconciled.notices.exists {
      case found: Notice.MirrorBehind => found.cluster.value == "us"
      case _                          => false
    })

    def standbyEnd: Option[Long] =
      driver.remembered.known.mirrors.get(ClusterId("us") -> "orders").flatMap(_.ends.get(0))

    def looked(topology: Topology): Boolean = within(5000)(driver.remembered.last.exists(_.survey.topology == topology))

    def lookedAtLoss: Boolean = within(5000)(driver.remembered.last.exists(_.reconciled.notices.exists {
      case _: Notice.Lost => true
      case _              => false
    }))

    def ending(parts: TakenPart*): Boolean = within(3000)(says(parts: _*) == RealTimeAnswer.Ends)
  }

  // The mirror had 500 records when it stood by. Five more are read of eu. Producers write own records to the mirror.
  test("control, micro-batches: a mirror that ended below the position in its last answer as a standby is held") {
    using(new FailOver(skipping)) { here =>
      val read = here.driver.latest(SourceOffset.initial, ReadLimits.everything)
      here.clusters.now("eu", eu(505))
      val more = here.driver.latest(read, ReadLimits.everything)
      assertEquals(ranges(read, more), Vector("eu orders 0 500-505"))
      assertEquals(here.standbyEnd, Some(500L))
      here.clusters.now("us", us(510))
      here.next(mirror)
      val held = here.driver.latest(more, ReadLimits.everything)
      assertEquals(here.isBehind -> ranges(more, held), true -> Vector.empty[String])
    }
  }

  test("so is it where a look came between the last report and the end of the batch") {
    using(new FailOver(realTime())) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      assertEquals(here.begins(here.ends(TakenPart(0, 500))), Vector("eu 0 500"))
      here.looks()
      // The task has taken five more. Its next report comes within 300 ms.
      here.clusters.now("eu", eu(505))
      assertEquals(here.standbyEnd, Some(500L))
      here.clusters.now("us", us(510))
      here.next(mirror)
      assert(here.looked(mirror))
      assert(here.ending(TakenPart(0, 505)))
      val ranges = here.begins(here.ends(TakenPart(0, 505)))
      assertEquals(here.isBehind -> ranges, true -> Vector.empty[String])
    }
  }

  test("control, micro-batches: what the old id had beyond the mirror counts as abandoned") {
    using(new FailOver(skipping, ends = (520, 510))) { here =>
      val read = here.driver.latest(SourceOffset.initial, ReadLimits(Some(500), None, aligned = true))
      assertEquals(ranges(SourceOffset.initial, read), Vector("eu orders 0 0-500"))
      here.clusters.now("eu", down)
      here.next(mirror)
      val next = here.driver.latest(read, ReadLimits.everything)
      assertEquals(
        positions(next).map(_.takeWhile(_ != '[').trim) -> here.driver.remembered.abandonedRecords,
        Vector("us orders 0")                           -> 10L
      )
    }
  }

  test("what the old id had beyond the mirror counts as abandoned after a look") {
    using(new FailOver(realTime(), ends = (520, 510))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      assertEquals(here.begins(here.ends(TakenPart(0, 500))), Vector("eu 0 500"))
      here.looks()
      here.clusters.now("eu", down)
      here.next(mirror)
      assert(here.endsEarly())
      val ranges = here.begins(here.ends(TakenPart(0, 500)))
      assertEquals(ranges -> here.driver.remembered.abandonedRecords, Vector("us 0 500") -> 10L)
    }
  }

  test("control, micro-batches: what a joined id had beyond counts as abandoned") {
    using(new FailOver(skipping, both, ends = (520, 510))) { here =>
      val first = here.driver.latest(SourceOffset.initial, ReadLimits(Some(1000), None, aligned = true))
      val left  = first.partitions.collect { case (id, at) if id.cluster.value == "eu" => 520 - at.next }.sum
      here.clusters.now("eu", down)
      here.next(mirror)
      here.driver.latest(first, ReadLimits.everything): Unit
      assert(left > 0)
      assertEquals(here.driver.remembered.abandonedRecords, Math.min(left, 10L))
    }
  }

  test("what a joined id had beyond counts as abandoned after a look") {
    using(new FailOver(realTime(), both, ends = (520, 510))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
      assertEquals(here.begins(here.ends(TakenPart(0, 500), TakenPart(1, 510))), Vector("eu 0 500", "us 0 510"))
      here.looks()
      here.clusters.now("eu", down)
      here.next(mirror)
      assert(here.endsEarly())
      here.begins(here.ends(TakenPart(0, 500), TakenPart(1, 510))): Unit
      assertEquals(here.driver.remembered.abandonedRecords, 10L)
    }
  }

  private def unclean = new UncleanElection(had = 15, has = 8)

  private val going = skipping.copy(failOnDataLoss = false)

  test("control, micro-batches: records that were cut off unread are counted") {
    val clusters = unclean
    using(new Live(clusters, alone, going)) { here =>
      val read = here.driver.latest(SourceOffset.initial, ReadLimits(Some(10), None, aligned = true))
      clusters.elects()
      val next = here.driver.latest(read, ReadLimits.everything)
      assertEquals(ranges(read, next) -> here.driver.remembered.lostRecords, Vector("eu orders 0 6-8") -> 5L)
    }
  }

  test("records that were cut off unread are counted after a look") {
    val clusters = unclean
    using(new Live(clusters, alone, realTime(going))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      assertEquals(here.begins(here.ends(TakenPart(0, 10, Some(1)))), Vector("eu 0 10"))
      here.looks()
      clusters.elects()
      assert(here.endsEarly())
      assertEquals(here.begins(here.ends(TakenPart(0, 10, Some(1)))), Vector("eu 0 6"))
      assertEquals(here.driver.remembered.lostRecords, 5L)
    }
  }

  private val soon    = skipping.copy(removal = skipping.removal.copy(drainTimeout = Duration.ofSeconds(3)))
  private val usAlone = listed("us" -> topics("orders"))
  private def unled   = answer("orders" -> only(0 -> (0 -> 10)).leaderless(1)).of("K1")

  // Partition 1 of eu has ten records that were not read when nobody leads it any more. Then eu is removed.
  test("control, micro-batches: a drain is given up that nobody led at the removal: its lag is counted") {
    val clusters = healthy
    clusters.now("eu", answer("orders" -> has(0 -> 10, 0 -> 10)).of("K1"))
    using(new Live(clusters, both, soon)) { here =>
      val read = here.driver.latest(SourceOffset.initial, ReadLimits.everything)
      clusters.now("eu", answer("orders" -> has(0 -> 10, 0 -> 20)).of("K1"))
      here.driver.latest(read, ReadLimits.everything): Unit
      clusters.now("eu", unled)
      here.next(usAlone)
      val removed = here.driver.latest(read, ReadLimits.everything)
      assert(here.within(9000) {
        here.driver.latest(removed, ReadLimits.everything): Unit
        here.driver.remembered.abandonedRecords > 0
      })
      assertEquals(here.driver.remembered.abandonedRecords, 10L)
    }
  }

  test("a drain is given up that nobody led at the removal: its lag is counted after a look") {
    val clusters = healthy
    clusters.now("eu", answer("orders" -> has(0 -> 10, 0 -> 20)).of("K1"))
    using(new Live(clusters, both, realTime(soon))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "eu 1 0", "us 0 0"))
      val all = Vector(TakenPart(0, 10), TakenPart(1, 10), TakenPart(2, 10))
      assertEquals(here.begins(here.ends(all: _*)), Vector("eu 0 10", "eu 1 10", "us 0 10"))
      here.looks()
      clusters.now("eu", unled)
      here.next(usAlone)
      assert(here.endsEarly())
      assertEquals(here.begins(here.ends(all: _*)), Vector("us 0 10"))
      assert(here.endsEarly(9000))
      here.begins(here.ends(TakenPart(0, 10))): Unit
      assertEquals(here.driver.remembered.abandonedRecords, 10L)
    }
  }

  test("what was unread of a topic that is deleted counts at the border, though a look came before") {
    val lossy = realTime().copy(failOnDataLoss = false, agreement = Duration.ofMillis(200))
    using(new FailOver(lossy, listed("eu" -> topics("orders")))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      assertEquals(here.begins(here.ends(TakenPart(0, 400))), Vector("eu 0 400"))
      here.clusters.now("eu", answer("orders" -> absent).of("K1"))
      assert(here.lookedAtLoss)
      assertEquals(here.driver.remembered.lostRecords, 0L)
      here.begins(here.ends(TakenPart(0, 400))): Unit
      assertEquals(here.driver.remembered.lostRecords, 100L)
    }
  }
}
