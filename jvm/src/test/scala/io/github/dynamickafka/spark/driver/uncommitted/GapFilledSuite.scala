package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** A mirror ended below the position when it was first asked. Then producers have filled the gap. */
class GapFilledSuite extends FunSuite with StepScenes {
  private val names = topics("orders")
  private val next  = names.continuing("eu")
  private val quick = skipping.copy(agreement = Duration.ofMillis(500))

  private def said(topic: String, kafka: String)(ends: Int*) =
    answer("orders" -> has(ends.map(0 -> _): _*).of(topic)).of(kafka)
  private def eu(ends: Int*)     = said("T1", "K1")(ends: _*)
  private def mirror(ends: Int*) = said("T9", "K2")(ends: _*)
  private def us(ends: Int*)     = said("T3", "K3")(ends: _*)

  private val old   = listed("eu" -> names, "us" -> names)
  private val begun = Query(fromEarliest).sees(old)("eu" -> eu(10, 10), "us" -> us(10)).read
  private val last  = begun.sees(old)("eu" -> eu(15, 10), "us" -> us(10)).read.held
  private val moved = listed("new" -> next, "us" -> names)
  private val both2 = listed("eu" -> topics(), "new" -> next, "us" -> names)

  private def logged(offset: SourceOffset) = OffsetJson.read(OffsetJson.write(offset))

  private def start[A](
      store: InMemoryDecisionStore,
      topology: Topology,
      policy: ReconcilePolicy = quick,
      kafka: ScriptedClusters = new ScriptedClusters
  )(answers: (String, ClusterObservation)*)(body: (OpenedDriver, ScriptedClusters) => A): A = {
    answers.foreach { case (id, answer) => kafka.now(id, answer) }
    val opened = new OpenedDriver(policy, kafka, () => topology, store = store)
    try body(opened, kafka)
    finally opened.driver.close()
  }

  private def planned(opened: OpenedDriver) =
    opened.driver.plan(begun.held, last).map(range =>
      s"${range.id.cluster} ${range.id.partition} ${range.from}-${range.until}"
    )

  private def latest(opened: OpenedDriver, at: SourceOffset) = logged(opened.driver.latest(at, ReadLimits.everything))

  private def foundBehind(store: InMemoryDecisionStore): Unit =
    start(store, moved)("new" -> mirror(12, 10), "us" -> us(10)) { (opened, _) =>
      val error = intercept[DynamicKafkaException](planned(opened))
      assertEquals(error.condition, Condition.MirrorBehind: Condition)
    }

  private val filled = mirror(30, 10)

  /** The old id, listed for the batch alone, is back: the batch is read from it. The next offset. */
  private def readFromOld(
      store: InMemoryDecisionStore,
      now: ClusterObservation,
      us: ClusterObservation
  ): SourceOffset = {
    foundBehind(store)
    start(store, both2)("eu" -> eu(15, 10), "new" -> now, "us" -> us) { (opened, _) =>
      assertEquals(planned(opened), Vector("eu 0 10-15"))
      latest(opened, last)
    }
  }

  /** Nothing is read of the mirror after another start there. */
  private def held(
      store: InMemoryDecisionStore,
      at: SourceOffset,
      us: ClusterObservation,
      policy: ReconcilePolicy = quick
  ) =
    start(store, both2, policy)("eu" -> eu(15, 10), "new" -> filled, "us" -> us) { (opened, _) =>
      assertEquals(ranges(at, latest(opened, at)), Vector.empty)
    }

  test("control: once the batch is read from the old id, the mirror is held") {
    val store = new InMemoryDecisionStore
    val end   = readFromOld(store, filled, us(10))
    assertEquals(ranges(last, end), Vector.empty)
    held(store, end, us(10))
  }

  test("then the mirror is held though the driver is killed before the next offset is logged") {
    val store = new InMemoryDecisionStore
    readFromOld(store, filled, us(10)): Unit
    held(store, last, us(10))
  }

  test("then the mirror is held though it was away for a moment before another start") {
    val store = new InMemoryDecisionStore
    val end   = readFromOld(store, down, us(12))
    assertEquals(ranges(last, end), Vector("us orders 0 10-12"))
    held(store, end, us(12))
  }

  test("then the mirror is held though the query failed by another cluster before another start") {
    val store = new InMemoryDecisionStore
    foundBehind(store)
    start(store, both2, fromEarliest)("eu" -> eu(15, 10), "new" -> filled, "us" -> down) { (opened, _) =>
      assertEquals(planned(opened), Vector("eu 0 10-15"))
      val error = intercept[DynamicKafkaException](latest(opened, last))
      assertEquals(error.condition, Condition.ClusterUnreachable: Condition)
    }
    held(store, last, us(10), fromEarliest)
  }

  test("so it is held where that is a partition of which the uncommitted batch reads nothing") {
    start(new InMemoryDecisionStore, moved)("new" -> mirror(15, 8), "us" -> us(10)) { (opened, kafka) =>
      assertEquals(planned(opened), Vector("eu 0 10-15"))
      // While the batch runs.
      kafka.now("new", mirror(30, 30))
      assertEquals(ranges(last, latest(opened, last)), Vector.empty)
    }
  }

  /** Clusters of which these say something else at first. */
  private def changing(first: (String, ClusterObservation)*): ScriptedClusters = {
    val kafka = new ScriptedClusters
    first.foreach { case (id, answer) => kafka.once(id, answer) }
    kafka
  }

  test("control: a trigger sees it behind, and holds it") {
    val kafka = changing("new" -> mirror(15, 8))
    start(new InMemoryDecisionStore, moved, kafka = kafka)("new" -> mirror(30, 30), "us" -> us(12)) { (opened, _) =>
      val one = latest(opened, last)
      assertEquals(ranges(last, one), Vector("us orders 0 10-12"))
      assertEquals(ranges(one, latest(opened, one)), Vector.empty)
    }
  }

  test("so does a run of AvailableNow that asks again, because a log of another cluster seems short") {
    val kafka = changing("new" -> mirror(15, 8), "us" -> us(5))
    start(new InMemoryDecisionStore, moved, kafka = kafka)("new" -> mirror(30, 30), "us" -> us(12)) { (opened, _) =>
      opened.driver.freeze()
      assertEquals(ranges(last, latest(opened, last)), Vector("us orders 0 10-12"))
    }
  }

  test("so does a trigger that asks for two seconds, because a topic of another cluster was created again") {
    val kafka = changing("new" -> mirror(15, 8))
    val lossy = quick.copy(failOnDataLoss = false)
    start(new InMemoryDecisionStore, moved, lossy, kafka)("new" -> mirror(30, 30), "us" -> said("T4", "K3")(3)) {
      (opened, _) =>
        assertEquals(ranges(last, latest(opened, last)), Vector("us orders 0 0-3"))
    }
  }

  test("it is held in the next start though that step failed by another cluster") {
    val store = new InMemoryDecisionStore
    start(store, moved, fromEarliest)("new" -> mirror(12, 10), "us" -> down) { (opened, _) =>
      val error = intercept[DynamicKafkaException](latest(opened, last))
      assertEquals(error.condition, Condition.ClusterUnreachable: Condition)
    }
    start(store, moved, fromEarliest)("new" -> filled, "us" -> us(12)) { (opened, _) =>
      val one = latest(opened, last)
      assertEquals(ranges(last, one), Vector("us orders 0 10-12"))
      assertEquals(ranges(one, latest(opened, one)), Vector.empty)
    }
  }

  test("one that has caught up while it stood by takes over in the next start") {
    val store = new InMemoryDecisionStore
    foundBehind(store)
    val beside = listed("eu" -> names, "new" -> next, "us" -> names)
    start(store, beside)("eu" -> eu(15, 10), "new" -> mirror(15, 10), "us" -> us(10)) { (opened, _) =>
      assertEquals(planned(opened), Vector("eu 0 10-15"))
      opened.driver.committed(last)
      for (_ <- 1 to 2) assertEquals(ranges(last, latest(opened, last)), Vector.empty)
    }
    start(store, moved)("new" -> mirror(17, 10), "us" -> us(10)) { (opened, _) =>
      assertEquals(ranges(last, latest(opened, last)), Vector("new orders 0 15-17"))
    }
  }

  test("a batch that is already logged waits for a mirror that still gets what its line says") {
    val line  = listed("new" -> next.startingAt("""{"orders":{"0":15,"1":10}}"""), "us" -> names)
    val store = new InMemoryDecisionStore
    val lossy = quick.copy(failOnDataLoss = false)
    start(store, line, lossy)("new" -> mirror(12, 10), "us" -> us(10)) { (opened, _) =>
      val error = intercept[DynamicKafkaException](planned(opened))
      assertEquals(error.condition, Condition.MirrorBehind: Condition)
    }
    start(store, line, lossy)("new" -> mirror(17, 10), "us" -> us(10)) { (opened, _) =>
      assertEquals(planned(opened), Vector("eu 0 10-15"))
      assertEquals(ranges(last, latest(opened, last)), Vector("new orders 0 15-17"))
    }
  }
}
