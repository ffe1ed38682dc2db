package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration
import java.util.concurrent.CompletableFuture

import munit.FunSuite

import io.github.dynamickafka.spark.ask.{CallOrder, WaitMode}
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredJson, ReadBefore}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** What a mirror was found to lack of an uncommitted batch counts for this mirror, and whatever it gets later. */
class MirrorOfBatchBehindSuite extends FunSuite with StepScenes {
  private val names = topics("orders")
  private val next  = names.continuing("eu")
  private val two   = listed("eu" -> names, "us" -> names)
  private val moved = listed("new" -> next)
  private val soon  = skipping.copy(agreement = Duration.ofMillis(300))

  private def eu(end: Int)     = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def us(end: Int)     = answer("orders" -> has(0 -> end).of("T5")).of("K5")
  private def mirror(end: Int) = answer("orders" -> has(0 -> end).of("T9")).of("K2")
  private def other(end: Int)  = answer("orders" -> has(0 -> end).of("T8")).of("K3")

  // The uncommitted batch reads from 10 until 15, of `eu` alone or of both.
  private val begun     = Query(fromEarliest).sees(listed("eu" -> names))("eu" -> eu(10)).read
  private val last      = begun.sees(listed("eu" -> names))("eu" -> eu(15)).read.held
  private val bothBegun = Query(fromEarliest).sees(two)("eu" -> eu(10), "us" -> us(10)).read
  private val bothLast  = bothBegun.sees(two)("eu" -> eu(15), "us" -> us(15)).read.held

  private class Start(
      topology: Topology,
      kafka: ScriptedClusters,
      unreadable: UnreadableRangePolicy = UnreadableRangePolicy.Wait,
      store: InMemoryDecisionStore = new InMemoryDecisionStore
  ) extends OpenedDriver(
        soon,
        kafka,
        () => topology,
        unreadable,
        store,
        options = Map("clusterReadTimeout" -> "500ms")
      ) {
    def one: Vector[String] = driver.plan(begun.held, last).map { range =>
      s"${driver.kafkaIdsOfBatch(range.id.cluster)} ${range.id.topic} ${range.from}-${range.until}"
    }

    def failure(batch: => Any): Condition = intercept[DynamicKafkaException](batch).condition

    def closing(body: Start => Unit): Unit =
      try body(this)
      finally driver.close()
  }

  test("it says nothing about another mirror, which has all") {
    val store = new InMemoryDecisionStore
    val kafka = new ScriptedClusters
    kafka.now("new", mirror(12))
    kafka.now("dr", other(30))
    new Start(moved, kafka, store = store).closing { here =>
      assertEquals(here.failure(here.one), Condition.MirrorBehind: Condition)
    }
    new Start(listed("dr" -> next), kafka, store = store).closing { here =>
      assertEquals(here.one, Vector("K3 orders 10-15"))
    }
    // The first one is listed again, and producers have filled the gap.
    kafka.now("new", mirror(30))
    new Start(moved, kafka, store = store).closing { here =>
      assertEquals(here.failure(here.one), Condition.MirrorBehind: Condition)
    }
  }

  /** Producers fill the gap of `new` as soon as it has answered. */
  private class FilledOnceAsked extends ScriptedClusters {
    override def observing(
        cluster: ClusterId,
        topics: Set[String],
        waitMode: WaitMode
    ): CompletableFuture[ClusterObservation] = {
      val said = super.observing(cluster, topics, waitMode)
      if (cluster.value == "new") now("new", mirror(30))
      said
    }
  }

  test("it counts though the gap is filled while asks about a deleted topic of another cluster have to agree") {
    val kafka = new FilledOnceAsked
    // Taken off, and deleted since: no loss.
    kafka.now("us", answer("orders" -> absent).of("K5"))
    kafka.now("new", mirror(12))
    new Start(listed("us" -> topics(), "new" -> next), kafka).closing { here =>
      assertEquals(here.failure(here.driver.plan(bothBegun.held, bothLast)), Condition.MirrorBehind: Condition)
    }
  }

  test("it counts though the gap is filled while another cluster is waited for, and a table has a part of the batch") {
    val at    = partition("eu", "orders", 0)
    val taken = PartitionMap.from(bothLast.get(at).map(end => at -> ReadBefore(12, end.next, end.incarnation)))
    val store = new InMemoryDecisionStore(Some(DeferredJson.write(Deferred(PartitionMap.empty, taken))))
    val kafka = new FilledOnceAsked
    kafka.now("new", mirror(12))
    kafka.hangs("us")
    new Start(listed("us" -> names, "new" -> next), kafka, UnreadableRangePolicy.Defer, store).closing { here =>
      assertEquals(here.failure(here.driver.plan(bothBegun.held, bothLast)), Condition.MirrorBehind: Condition)
    }
  }

  for (filled <- Seq(12, 30))
    test(
      s"what the batch defers of it counts as abandoned once the mirror, which ends at $filled by then, takes over"
    ) {
      val kafka = new ScriptedClusters
      kafka.now("new", mirror(12))
      new Start(moved, kafka, UnreadableRangePolicy.Defer).closing { here =>
        assertEquals(here.one, Vector.empty)
        kafka.now("new", mirror(filled))
        here.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
        val later = ranges(last, here.driver.latest(last, ReadLimits.everything))
        assertEquals(later -> here.driver.remembered.abandonedRecords, Vector(s"new orders 0 10-$filled") -> 3L)
      }
    }
}
