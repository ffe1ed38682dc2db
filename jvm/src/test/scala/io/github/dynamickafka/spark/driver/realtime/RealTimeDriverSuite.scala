package io.github.dynamickafka.spark.driver.realtime

import java.util.concurrent.TimeUnit

import munit.FunSuite

import io.github.dynamickafka.spark.driver.uncommitted.DecisionStore
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters, SlowCluster}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{BegunJson, OffsetPoint, OffsetRule, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, RealTimeReport, TakenPart}
import io.github.dynamickafka.spark.reconcile.{BatchKind, ReconcilePolicy}
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** The driver of a query in Real-Time Mode, over clusters that are scripted. Tasks are reports. */
class RealTimeDriverSuite extends FunSuite with LiveScenes {
  private val eu    = listed("eu" -> topics("orders"))
  private val rules = skipping.copy(
    batches = BatchKind.RealTime,
    newCluster = OffsetRule.everywhere(OffsetPoint.Latest)
  )

  private val another = Right(new ConnectionSettings(Map("client.id" -> "another")))

  private def live(
      first: Topology = eu,
      store: DecisionStore = new InMemoryDecisionStore,
      policy: ReconcilePolicy = rules,
      clusters: ScriptedClusters = healthy
  ) = new Live(clusters, first, policy, store)

  private val initial = SourceOffset.initial

  test("a batch begins with all that may be read, also what has nothing to read, and ends where its tasks have ended") {
    using(live(both)) { here =>
      assertEquals(here.begins(initial), Vector("eu 0 0", "us 0 0"))
      here.says(TakenPart(0, 4)): Unit
      val end = here.ends(TakenPart(0, 10), TakenPart(1, 7))
      assertEquals(positions(end), Vector("eu orders 0 [0,10,0]", "us orders 0 [0,7,0]"))
      assertEquals(here.begins(end), Vector("eu 0 10", "us 0 7"))
    }
  }

  test("where a cluster begins is on record before a record of it is read, and is the same after a crash") {
    val store = new InMemoryDecisionStore
    val end   = using(live(store = store)) { here =>
      assertEquals(here.begins(initial), Vector("eu 0 0"))
      val end = here.ends(TakenPart(0, 10))
      here.next(both)
      assertEquals(here.begins(end), Vector("eu 0 10", "us 0 10"))
      val kept = BegunJson.read(store.read().get, "kept")
      assertEquals(kept.from(end).get(partition("us", "orders", 0)).map(_.next), Some(10L))
      end
    }
    using(live(both, store)) { again =>
      again.clusters.now("us", more)
      assertEquals(again.begins(end), Vector("eu 0 10", "us 0 10"))
    }
  }

  test("a micro-batch that follows begins so too, and its batches are not of this mode") {
    val store = new InMemoryDecisionStore
    val end   = using(live(store = store)) { here =>
      here.begins(initial): Unit
      val end = here.ends(TakenPart(0, 10))
      here.next(both)
      here.begins(end): Unit
      end
    }
    val planned = rules.copy(batches = BatchKind.Planned)
    using(live(both, store, planned)) { again =>
      again.clusters.now("us", more)
      val next = again.driver.latest(end, ReadLimits.everything)
      assertEquals(ranges(end, next), Vector("us orders 0 10-15"))
      assertEquals(new KeptBeginnings(store).realTime, false)
    }
  }

  test("another topology and a new partition end the batch soon, and nothing else does") {
    using(live()) { here =>
      val end = { here.begins(initial): Unit; here.ends(TakenPart(0, 10)) }
      here.begins(end): Unit
      assertEquals(here.endsEarly(1500), false)
      here.next(both)
      assertEquals(here.endsEarly(1000), true)
      val next = here.ends(TakenPart(0, 10))
      here.begins(next): Unit
      assertEquals(here.endsEarly(1500), false)
      here.clusters.now("eu", answer("orders" -> has(0 -> 10, 0 -> 5)))
      assertEquals(here.endsEarly(), true)
      assertEquals(here.begins(here.ends(TakenPart(0, 10), TakenPart(1, 10))), Vector("eu 0 10", "eu 1 0", "us 0 10"))
    }
  }

  test("while nothing is written or read, the clusters are asked less often; what is read shows soon all the same") {
    using(live()) { here =>
      val end = { here.begins(initial): Unit; here.ends(TakenPart(0, 10)) }
      here.begins(end): Unit
      val before = here.clusters.asked.size
      assertEquals(here.endsEarly(4500), false)
      assert(here.clusters.asked.size - before <= 3, here.clusters.asked)
      here.clusters.now("eu", more)
      here.says(TakenPart(0, 12)): Unit
      assert(here.within(1500)(here.shown.get.flatMap(_.get(partition("eu", "orders", 0))).map(_.next).contains(12L)))
    }
  }

  test("what is paused rests, and what is removed is read to its target and no further") {
    using(live(both)) { here =>
      here.begins(initial): Unit
      val end = here.ends(TakenPart(0, 10), TakenPart(1, 4))
      here.next(listed("eu" -> topics("orders").paused))
      here.live.latest(end): Unit
      val ranges = here.live.plan(end)
      assertEquals(ranges.map(one => (one.id.cluster.value, one.from, one.until)), Vector(("us", 4L, 10L)))
      val drained = here.ends(TakenPart(0, 10))
      here.next(eu)
      assertEquals(here.begins(drained), Vector("eu 0 10"))
    }
  }

  test("a sick cluster shows while the batch runs, and ends it neither by its fall nor by its return") {
    using(live(both)) { here =>
      here.begins(initial): Unit
      here.clusters.now("us", down)
      def unavailable = here.driver.remembered.last.exists(_.reconciled.unavailable.map(_.value) == Set("us"))
      assert(here.within(3000)(unavailable))
      here.says(TakenPart(0, 6)): Unit
      assert(here.within(3000)(here.shown.get.flatMap(_.get(partition("eu", "orders", 0))).map(_.next).contains(6L)))
      here.clusters.now("us", orders)
      assert(here.within(5000)(!unavailable))
      assertEquals(here.says(), RealTimeAnswer.GoesOn: RealTimeAnswer)
    }
  }

  test("a cluster that was out of reach when the batch began ends it once it is back") {
    using(live(both)) { here =>
      here.begins(initial): Unit
      val end = here.ends(TakenPart(0, 10), TakenPart(1, 10))
      here.clusters.now("us", down)
      assertEquals(here.begins(end), Vector("eu 0 10"))
      here.clusters.now("us", more)
      assertEquals(here.endsEarly(6000), true)
      assertEquals(here.begins(here.ends(TakenPart(0, 10))), Vector("eu 0 10", "us 0 10"))
    }
  }

  test("under fail the query fails where only an executor can't read a cluster that is needed") {
    val failure = Map(both.clusters.firstKey -> ReaderFailure("CONDITION", "refused", asks = false))
    using(live(both, policy = rules.copy(unavailable = fromEarliest.unavailable))) { here =>
      here.begins(initial): Unit
      here.live.says(here.live.number, RealTimeReport(Vector.empty, failure)): Unit
      assert(here.within(3000)(here.says().isInstanceOf[RealTimeAnswer.Fails]), here.says())
    }
    using(live(both)) { here =>
      here.begins(initial): Unit
      here.live.says(here.live.number, RealTimeReport(Vector.empty, failure)): Unit
      assert(here.within(3000)(here.driver.remembered.last.exists(_.reconciled.unavailable.nonEmpty)))
      assertEquals(here.says(), RealTimeAnswer.GoesOn: RealTimeAnswer)
    }
  }

  test(
    "under fail neither a look nor a border waits for a cluster that hangs, and the query fails once its ask has failed"
  ) {
    using(live(both, policy = rules.copy(unavailable = fromEarliest.unavailable))) { here =>
      here.begins(initial): Unit
      val end = here.ends(TakenPart(0, 10), TakenPart(1, 10))
      here.begins(end): Unit
      here.clusters.hangs("us")
      assert(here.within(3000)(here.driver.remembered.last.exists(_.reconciled.unavailable.nonEmpty)))
      here.clusters.now("eu", more)
      here.next(listed("eu" -> topics("orders").copy(connection = another), "us" -> topics("orders")))
      assertEquals(here.endsEarly(2000), true)
      val next  = here.ends(TakenPart(0, 11), TakenPart(1, 10))
      val began = System.nanoTime
      assertEquals(here.begins(next), Vector("eu 0 11"))
      assert(System.nanoTime - began < TimeUnit.SECONDS.toNanos(2))
      here.clusters.wakes("us", down)
      assertEquals(here.endsEarly(4000), true)
      val last = here.ends(TakenPart(0, 12))
      assertEquals(intercept[DynamicKafkaException](here.live.latest(last)).condition, Condition.ClusterUnreachable)
    }
  }

  test(
    "under fail a login that is refused ends the batch where the next fetch brings another one, and does not fail it"
  ) {
    val refused = Map(both.clusters.firstKey -> ReaderFailure("CONDITION", "refused", asks = false))
    using(live(policy = rules.copy(unavailable = fromEarliest.unavailable))) { here =>
      here.begins(initial): Unit
      here.lists(listed("eu" -> topics("orders").copy(connection = another)))
      here.live.says(here.live.number, RealTimeReport(Vector.empty, refused)): Unit
      assertEquals(here.endsEarly(3000), true)
      assertEquals(here.begins(here.ends(TakenPart(0, 10))), Vector("eu 0 10"))
    }
  }

  test("a log that was cut off while it was read is noticed of a cluster that answers slowly, too") {
    val slow = new SlowCluster
    using(live(clusters = slow)) { here =>
      slow.ends(10, 5)
      assertEquals(here.begins(initial), Vector("eu 0 0"))
      // What is read since the last answer is no loss.
      here.says(TakenPart(0, 12)): Unit
      Vector.fill(4)(slow.awaitAnswer()): Unit
      assertEquals(here.says(), RealTimeAnswer.GoesOn: RealTimeAnswer)
      slow.ends(7, 6)
      val why = Map(eu.clusters.firstKey -> ReaderFailure("CONDITION", "out of range", asks = true))
      here.live.says(here.live.number, RealTimeReport(Vector.empty, why)): Unit
      def suspected = here.driver.remembered.last.exists(_.reconciled.live.keysIterator.isEmpty)
      assert(here.within(6000)(suspected), here.driver.remembered.last)
    }
  }

  test("tasks of another batch end nothing, and a range without an end fails the batch") {
    using(live(both)) { here =>
      here.begins(initial): Unit
      val number = here.live.number
      assertEquals(here.live.ends(number + 1, RealTimeReport(Vector.empty)), RealTimeAnswer.RunsAgain: RealTimeAnswer)
      assertEquals(here.live.ends(number, RealTimeReport(Vector(TakenPart(0, 3)))), RealTimeAnswer.Ends: RealTimeAnswer)
      intercept[IllegalStateException](here.live.merged): Unit
      assertEquals(here.live.known(number, Vector(0, 1)), Map.empty[Int, Long], "the latest attempt decides")
      here.ends(TakenPart(1, 10)): Unit
      assertEquals(
        here.live.ends(number, RealTimeReport(Vector(TakenPart(0, 3)))),
        RealTimeAnswer.RunsAgain: RealTimeAnswer
      )
    }
  }
}
