package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** The cluster of an uncommitted batch is off the list, and its mirror does not have the topic. */
class StandInWithoutTopicSuite extends FunSuite with StepScenes {
  private val names = topics("orders")
  private val next  = names.continuing("eu")
  private val old   = listed("eu" -> names)
  private val moved = listed("new" -> next)
  private val soon  = skipping.copy(agreement = Duration.ofMillis(300))

  private def orders(topic: String, kafka: String)(end: Int) = answer("orders" -> has(0 -> end).of(topic)).of(kafka)
  private val eu                                             = orders("T1", "K1") _
  private val us                                             = orders("T2", "K2") _
  private val mirror                                         = orders("T9", "K9") _
  private val second                                         = orders("T8", "K8") _
  private val none                                           = answer("orders" -> absent).of("K9")

  private val begun = Query(fromEarliest).sees(old)("eu" -> eu(10)).read
  private val last  = begun.sees(old)("eu" -> eu(15)).read.held

  /** One start. */
  private class Start(
      store: InMemoryDecisionStore,
      topology: Topology,
      policy: UnreadableRangePolicy,
      agreement: Duration = Duration.ofMillis(300)
  ) {
    val kafka             = new ScriptedClusters
    private lazy val here = new OpenedDriver(
      soon.copy(agreement = agreement),
      kafka,
      () => topology,
      policy,
      store,
      options = Map("clusterReadTimeout" -> "1s")
    )

    def plan(from: SourceOffset = begun.held, to: SourceOffset = last): Vector[String] =
      try here.driver.plan(from, to).map(range => s"${range.id.cluster} ${range.id.topic} ${range.from}-${range.until}")
      catch { case e: DynamicKafkaException => Vector(e.condition.name) }
    def next(): Vector[String] = ranges(last, here.driver.latest(last, ReadLimits.everything))
    def close(): Unit          = here.driver.close()
  }

  private def start[A](
      store: InMemoryDecisionStore = new InMemoryDecisionStore,
      topology: Topology = moved,
      policy: UnreadableRangePolicy = UnreadableRangePolicy.Wait,
      agreement: Duration = Duration.ofMillis(300)
  )(said: (String, ClusterObservation)*)(body: Start => A): A = {
    val here = new Start(store, topology, policy, agreement)
    said.foreach { case (id, one) => here.kafka.now(id, one) }
    try body(here)
    finally here.close()
  }

  private val behind = Vector("DYNAMIC_KAFKA_MIRROR_BEHIND")
  private val whole  = Vector("eu orders 10-15")

  test("the mirror is held though producers create the topic there, until the metadata says where mirroring ended") {
    val store = new InMemoryDecisionStore
    val ended = listed("new" -> next.startingAt("""{"orders":{"0":12}}"""))
    start(store)("new" -> none)(here => assertEquals(here.plan(), behind))
    start(store)("new" -> mirror(30))(here => assertEquals(here.plan(), behind))
    start(store, ended)("new" -> mirror(30))(here => assertEquals(here.plan(), Vector("eu orders 10-12")))
  }

  test("that it leaves the topic out for a moment counts for nothing") {
    start(agreement = Duration.ofSeconds(5))("new" -> none) { here =>
      here.kafka.wakesAfter(Duration.ofMillis(300), "new", mirror(15))()
      assertEquals(here.plan(), whole)
    }
  }

  test("while the old id lists the topic, the mirror does not take over, and may get it yet") {
    val beside = listed("eu" -> names, "new" -> next)
    val store  = new InMemoryDecisionStore
    start(store, beside)("new" -> none)(here => assertEquals(here.plan(), Vector("DYNAMIC_KAFKA_CLUSTER_UNREACHABLE")))
    start(store, beside)("new" -> mirror(15))(here => assertEquals(here.plan(), whole))
  }

  test("a batch waits for it though the metadata says that mirroring got further") {
    val ended = listed("new" -> next.startingAt("""{"orders":{"0":15}}"""))
    val store = new InMemoryDecisionStore
    start(store, ended)("new" -> none)(here => assertEquals(here.plan(), behind))
    start(store, ended)("new" -> mirror(5))(here => assertEquals(here.plan(), behind))
    start(store, ended)("new" -> mirror(15))(here => assertEquals(here.plan(), whole))
  }

  private val two     = listed("eu" -> names, "us" -> names)
  private val ofTwo   = Query(fromEarliest).sees(two)("eu" -> eu(10), "us" -> us(10)).read
  private val lastTwo = ofTwo.sees(two)("eu" -> eu(15), "us" -> us(15)).read.held
  private val mirrors = listed("new" -> next, "new2" -> names.continuing("us"))

  test("it is remembered though another mirror of the batch does not answer") {
    val store = new InMemoryDecisionStore
    start(store, mirrors)("new" -> none, "new2" -> down)(here => assertEquals(here.plan(ofTwo.held, lastTwo), behind))
    start(store, mirrors)("new" -> mirror(30), "new2" -> second(15)) { here =>
      assertEquals(here.plan(ofTwo.held, lastTwo), behind)
    }
  }

  test("a start that waits for another mirror as well goes on once both have answered") {
    start(topology = mirrors, agreement = Duration.ofSeconds(5))("new" -> none, "new2" -> down) { here =>
      here.kafka.wakesAfter(Duration.ofMillis(300), "new", mirror(15))()
      here.kafka.wakesAfter(Duration.ofMillis(500), "new2", second(15))()
      assertEquals(here.plan(ofTwo.held, lastTwo), Vector("eu orders 10-15", "us orders 10-15"))
    }
  }

  test("it is remembered though nobody leads a partition of another topic there") {
    val pair         = topics("orders", "refunds")
    def both(n: Int) = "eu" -> answer("orders" -> has(0 -> n).of("T1"), "refunds" -> has(0 -> n).of("T3")).of("K1")
    val from         = Query(fromEarliest).sees(listed("eu" -> pair))(both(10)).read
    val to           = from.sees(listed("eu" -> pair))(both(15)).read.held
    val over         = listed("new" -> pair.continuing("eu"))
    val store        = new InMemoryDecisionStore
    val unled        = answer("orders" -> absent, "refunds" -> only().of("T7").leaderless(0)).of("K9")
    val later        = answer("orders" -> has(0 -> 30).of("T9"), "refunds" -> has(0 -> 15).of("T7")).of("K9")
    start(store, over)("new" -> unled)(here => assertEquals(here.plan(from.held, to), behind))
    start(store, over)("new" -> later)(here => assertEquals(here.plan(from.held, to), behind))
  }

  test("a batch that defers what it lacks remembers that, too: while it runs, producers create the topic") {
    start(policy = UnreadableRangePolicy.Defer)("new" -> none) { here =>
      assertEquals(here.plan(), Vector.empty)
      here.kafka.now("new", mirror(30))
      assertEquals(here.next(), Vector.empty)
    }
  }
}
