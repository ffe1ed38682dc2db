package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** The cluster of an uncommitted batch is off the list, and its mirror does not have the topic. */
class StandInWithoutTopicSuite extends FunSuite with StepScenes {
  private val names = topics("orders")
  private val next  = names.continuing("eu")
  private val old   = listed("eu" -> names)
  private val moved = listed("new" -> next)
  private val soon  = skipping.copy(agreement = Duration.ofMillis(300))

  private def eu(end: Int)     = "eu" -> answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int) = answer("orders" -> has(0 -> end).of("T9")).of("K2")
  private val none             = answer("orders" -> absent).of("K2")

  private val begun = Query(fromEarliest).sees(old)(eu(10)).read
  private val last  = begun.sees(old)(eu(15)).read.held

  private def start(
      store: InMemoryDecisionStore,
      said: ClusterObservation,
      topology: Topology = moved,
      once: Option[ClusterObservation] = None
  ): Vector[String] = {
    val kafka = new ScriptedClusters
    kafka.now("new", said)
    once.foreach(kafka.once("new", _))
    val options = Map("clusterReadTimeout" -> "1s")
    val here    = new OpenedDriver(soon, kafka, () => topology, UnreadableRangePolicy.Wait, store, options = options)
    try here.driver.plan(begun.held, last).map(range => s"${range.from}-${range.until}")
    catch { case e: DynamicKafkaException => Vector(e.condition.name) }
    finally here.driver.close()
  }

  private val behind = Vector("DYNAMIC_KAFKA_MIRROR_BEHIND")

  test("the mirror is held though producers create the topic there, until the metadata says where mirroring ended") {
    val store = new InMemoryDecisionStore
    assertEquals(start(store, none), behind)
    assertEquals(start(store, mirror(30)), behind)
    assertEquals(start(store, mirror(30), listed("new" -> next.startingAt("""{"orders":{"0":12}}"""))), Vector("10-12"))
  }

  test("one answer without the topic counts for nothing") {
    assertEquals(start(new InMemoryDecisionStore, mirror(15), once = Some(none)), Vector("10-15"))
  }

  test("while the old id lists the topic, the mirror does not take over, and may get it yet") {
    val beside = listed("eu" -> names, "new" -> next)
    val store  = new InMemoryDecisionStore
    assertEquals(start(store, none, beside), Vector("DYNAMIC_KAFKA_CLUSTER_UNREACHABLE"))
    assertEquals(start(store, mirror(15), beside), Vector("10-15"))
  }
}
