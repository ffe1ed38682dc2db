package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ManualClock, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredJson, DeferredPart, SourceOffset}
import io.github.dynamickafka.spark.options.{RemovedClusterPolicy, UnavailableClusterPolicy, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** Under removedClusterPolicy=stop, a cluster is renamed after a batch has deferred a part of it. */
class DeferredRenamedSuite extends FunSuite with StepScenes {
  private val one    = listed("eu" -> topics("orders"))
  private val moved  = listed("new" -> topics("orders").continuing("eu"))
  private val policy = stopping.copy(unavailable = UnavailableClusterPolicy.Skip, agreement = Duration.ZERO)

  private def said(end: Int, topic: String, kafka: String = "K1") =
    answer("orders" -> has(0 -> end).of(topic)).of(kafka)
  private val ten  = Query(policy).sees(one)("eu" -> said(10, "T1")).read
  private val last = ten.sees(one)("eu" -> said(15, "T1")).read.held
  private val part =
    DeferredJson.write(Deferred(PartitionMap.from(Vector(partition("eu", "orders", 0) -> DeferredPart(12, 15, 0)))))

  private def goesOn(now: ClusterObservation, deferred: Boolean, removal: RemovedClusterPolicy): String = {
    val kafka = new ScriptedClusters
    kafka.now("new", now)
    val store  = new InMemoryDecisionStore(Option.when(deferred)(part))
    val rules  = policy.copy(removal = policy.removal.copy(policy = removal))
    val driver = new OpenedDriver(rules, kafka, () => moved, UnreadableRangePolicy.Defer, store).driver
    try {
      val next = driver.latest(last, ReadLimits.everything)
      positions(driver.latest(next, ReadLimits.everything)).mkString("; ")
    } catch { case e: DynamicKafkaException => e.condition.name }
    finally driver.close()
  }

  private val again = said(3, "T2")
  private val gone  = answer("orders" -> absent).of("K1")

  for (removal <- Seq(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop); deferred <- Seq(false, true)) {
    test(s"under the new id, a topic that was created again meanwhile is loss, $removal deferred=$deferred") {
      assertEquals(goesOn(again, deferred, removal), "DYNAMIC_KAFKA_TOPIC_RECREATED")
    }
    test(s"and so is one that was deleted, $removal deferred=$deferred") {
      assertEquals(goesOn(gone, deferred, removal), "DYNAMIC_KAFKA_DATA_LOSS")
    }
  }

  test("where the topic is as it was, it goes on where it was deferred") {
    assertEquals(goesOn(said(20, "T1"), deferred = true, RemovedClusterPolicy.Stop).take(13), "new orders 0 ")
  }

  // The mirror was read on its own before, and keeps that position while it stands by. Then the clock was set back.
  for (deferred <- Seq(false, true))
    test(s"the log's position goes over, also if the clock was set back, deferred=$deferred") {
      val apart            = listed("eu" -> topics("orders"), "new" -> topics("orders"))
      val joined           = listed("eu" -> topics("orders"), "new" -> topics("orders").continuing("eu"))
      def mirror(end: Int) = "new" -> said(end, "T9", "K2")
      val own              = Query(policy).sees(apart)("eu" -> said(10, "T1"), mirror(4)).read
      val stood            = own.after(Duration.ofHours(1)).sees(joined)("eu" -> said(10, "T1"), mirror(20)).read
      val end              = stood.sees(joined)("eu" -> said(15, "T1"), mirror(20)).read.held
      val inc              = end.get(partition("eu", "orders", 0)).fold(0)(_.incarnation)
      val text             = DeferredJson.write(
        Deferred(PartitionMap.from(Vector(partition("eu", "orders", 0) -> DeferredPart(12, 15, inc))))
      )
      val kafka = new ScriptedClusters
      kafka.now("new", mirror(20)._2)
      val store  = new InMemoryDecisionStore(Option.when(deferred)(text))
      val driver = new OpenedDriver(
        policy,
        kafka,
        () => moved,
        UnreadableRangePolicy.Defer,
        store,
        clock = new ManualClock(begin)
      ).driver
      try {
        def all(at: SourceOffset) = driver.latest(at, ReadLimits.everything)
        val next                  = all(end)
        assertEquals(ranges(end, next), Vector(s"new orders 0 ${if (deferred) 12 else 15}-20"), s"$end\n$next")
      } finally driver.close()
    }
}
