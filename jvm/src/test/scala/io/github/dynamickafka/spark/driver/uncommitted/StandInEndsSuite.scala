package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** What is read after an uncommitted batch for which another cluster stood in: no record is left out or comes twice. */
class StandInEndsSuite extends FunSuite with StepScenes {
  private val names = topics("orders")
  private val next  = names.continuing("eu")
  private val alone = listed("eu" -> names)
  private val soon  = skipping.copy(agreement = Duration.ofMillis(300))

  private def ended(at: Int)   = next.startingAt(s"""{"orders":{"0":$at}}""")
  private def eu(end: Int)     = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int) = answer("orders" -> has(0 -> end).of("T9")).of("K2")

  // The uncommitted batch reads from 10 until 15.
  private val begun = Query(fromEarliest).sees(alone)("eu" -> eu(10)).read
  private val last  = begun.sees(alone)("eu" -> eu(15)).read.held

  private class Start(
      policy: ReconcilePolicy = soon,
      store: InMemoryDecisionStore = new InMemoryDecisionStore,
      from: SourceOffset = begun.held,
      until: SourceOffset = last
  )(first: Topology)(said: (String, ClusterObservation)*) {
    @volatile private var metadata = first
    private val kafka              = new ScriptedClusters
    said.foreach { case (id, answer) => kafka.now(id, answer) }
    private val opened = new OpenedDriver(policy, kafka, () => metadata, UnreadableRangePolicy.Wait, store)
    private val driver = opened.driver

    /** What the batch reads, with Kafka's id of the cluster that is read. */
    def plan: Vector[String] = driver.plan(from, until).map { range =>
      s"${driver.kafkaIdsOfBatch(range.id.cluster)} ${range.id.topic} ${range.from}-${range.until}"
    }

    def failure: Condition = intercept[DynamicKafkaException](plan).condition

    /** What the next batch reads. */
    def goesOn(topology: Topology = first): Vector[String] = {
      metadata = topology
      opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
      ranges(until, driver.latest(until, ReadLimits.everything))
    }

    def abandoned: Long = driver.remembered.abandonedRecords

    def closing[A](body: Start => A): A =
      try body(this)
      finally driver.close()
  }

  test("what a mirror got of its own is not read in the name of an id that is still listed, and then once more") {
    new Start()(listed("eu" -> names, "new" -> ended(12)))("eu" -> down, "new" -> mirror(30)).closing { here =>
      assertEquals(here.failure, Condition.ClusterUnreachable: Condition)
    }
  }

  test("what lies behind the end of mirroring is left to whoever reads on, and counts if that is the mirror") {
    new Start()(listed("new" -> ended(12)))("new" -> mirror(30)).closing { here =>
      assertEquals(here.plan, Vector("K2 orders 10-12"))
      assertEquals(here.goesOn(), Vector("new orders 0 12-30"))
      assertEquals(here.abandoned, 3L)
    }
    new Start()(listed("new" -> ended(12)))("eu" -> eu(20), "new" -> mirror(30)).closing { here =>
      assertEquals(here.plan, Vector("K2 orders 10-12"))
      assertEquals(here.goesOn(alone), Vector("eu orders 0 12-20"))
      assertEquals(here.abandoned, 0L)
    }
  }

  test("a batch that was read up to where mirroring ended is read up to there by each later start") {
    val store = new InMemoryDecisionStore
    new Start(store = store)(listed("new" -> ended(12)))("new" -> mirror(30)).closing { here =>
      assertEquals(here.plan, Vector("K2 orders 10-12"))
    }
    new Start(store = store)(alone)("eu" -> eu(20)).closing { here =>
      assertEquals(here.plan, Vector("K1 orders 10-12"))
      assertEquals(here.goesOn(), Vector("eu orders 0 12-20"))
    }
  }

  test("what moved to another id and is gone under the old one, which is still listed, is read from the other one") {
    for (gone <- Seq(answer("orders" -> absent).of("K1"), answer("orders" -> has(0 -> 3).of("T2")).of("K1")))
      new Start()(listed("eu" -> topics(), "new" -> next))("eu" -> gone, "new" -> mirror(15)).closing { here =>
        assertEquals(here.plan, Vector("K2 orders 10-15"))
        assertEquals(here.goesOn(), Vector.empty)
      }
  }

  test("where the old id has other topics of the batch, what is gone there is loss, since the other id lists it") {
    def both(end: Int) = answer("orders" -> has(0 -> end).of("T1"), "refunds" -> has(0 -> end).of("T5")).of("K1")
    val all            = listed("eu" -> topics("orders", "refunds"))
    val first          = Query(fromEarliest).sees(all)("eu" -> both(10)).read
    val second         = first.sees(all)("eu" -> both(15)).read.held
    val moved          = listed("eu" -> topics("refunds"), "new" -> next)
    val gone           = answer("orders" -> absent, "refunds" -> has(0 -> 15).of("T5")).of("K1")
    def start(policy: ReconcilePolicy) =
      new Start(policy, from = first.held, until = second)(moved)("eu" -> gone, "new" -> mirror(15))
    start(soon).closing(here => assertEquals(here.failure, Condition.DataLoss: Condition))
    start(soon.copy(failOnDataLoss = false)).closing(here => assertEquals(here.plan, Vector("K1 refunds 10-15")))
  }

  test("who stands in is who takes over") {
    def has3(end: Int) = answer("orders" -> has(0 -> end).of("T3")).of("K3")
    val first          = Query(fromEarliest).sees(listed("old" -> names))("old" -> has3(5)).read
    val joined         = listed("eu" -> names.continuing("old"))
    val start          = first.sees(joined)("eu" -> eu(10)).read
    val end            = start.sees(joined)("eu" -> eu(15)).read.held
    val back           = listed("old" -> names, "new" -> names.continuing("eu", "old"))
    val found          = StandIns.candidates(Map(ClusterId("eu") -> Set("orders")), end, back)
    assertEquals(found, Map(ClusterId("eu") -> ClusterId("old")))
    new Start(from = start.held, until = end)(back)("old" -> has3(15), "new" -> mirror(12)).closing { here =>
      assertEquals(here.plan, Vector("K3 orders 10-15"))
    }
  }
}
