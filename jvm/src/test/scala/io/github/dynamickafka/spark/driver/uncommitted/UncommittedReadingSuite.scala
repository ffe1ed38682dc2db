package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration
import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit}

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredJson}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.reconcile.ReconcilePolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** What an uncommitted batch does about what can not be read. */
class UncommittedReadingSuite extends FunSuite with StepScenes {
  private val two = Query(fromEarliest).sees(both)("eu" -> orders, "us" -> orders).read
  private val end = two.sees(both)("eu" -> more, "us" -> more).read.held

  private def soon(policy: ReconcilePolicy) = policy.copy(agreement = Duration.ofMillis(300))

  /** The clusters that the batch reads after a restart, when `eu` answers this. */
  private def read(
      eu: ClusterObservation,
      listing: ListedCluster,
      policy: ReconcilePolicy,
      unreadable: UnreadableRangePolicy = UnreadableRangePolicy.Wait
  ): Vector[String] = {
    val kafka = new ScriptedClusters
    kafka.now("eu", eu)
    kafka.now("us", more)
    val topology = listed("eu" -> listing, "us" -> topics("orders"))
    val here     = new OpenedDriver(policy, kafka, () => topology, unreadable).driver
    try here.plan(two.held, end).map(_.id.cluster.value)
    finally here.close()
  }

  private val deleted = answer("orders" -> absent)

  test("what an uncommitted batch reads of a topic that was taken off and deleted is left out") {
    assertEquals(read(deleted, topics(), soon(fromEarliest)), Vector("us"))
    assertEquals(read(deleted, topics(), soon(skipping), UnreadableRangePolicy.Defer), Vector("us"))
  }

  test("of a listed topic that was deleted it is loss, once asks agree; where loss is allowed it is left out") {
    val began = System.nanoTime
    val error = intercept[DynamicKafkaException](read(deleted, topics("orders"), soon(fromEarliest)))
    assertEquals(error.condition, Condition.DataLoss: Condition)
    assert(error.getMessage.contains("deleted since: cluster=eu topic=orders partition=0"), error.getMessage)
    assert(System.nanoTime - began >= Duration.ofMillis(300).toNanos)
    assertEquals(read(deleted, topics("orders"), soon(fromEarliest).copy(failOnDataLoss = false)), Vector("us"))
  }

  test("a broker that is behind, and still knows an earlier topic of the name, takes nothing out of the batch") {
    def orders(id: String, end: Int) = answer("orders" -> has(0 -> end).of(id)).of("K1")
    val eu                           = listed("eu" -> topics("orders"))
    val read10                       = Query(fromEarliest).sees(eu)("eu" -> orders("T2", 10)).read
    val until20                      = read10.sees(eu)("eu" -> orders("T2", 20)).read.held
    for (strict <- Seq(true, false)) {
      val kafka = new ScriptedClusters
      kafka.now("eu", orders("T1", 20))
      kafka.wakesAfter(Duration.ofMillis(100), "eu", orders("T2", 20))()
      val here = new OpenedDriver(soon(fromEarliest).copy(failOnDataLoss = strict), kafka, () => eu).driver
      try assertEquals(here.plan(read10.held, until20).map(range => (range.from, range.until)), Vector(10L -> 20L))
      finally here.close()
    }
  }

  test("what an uncommitted batch reads of an inactive cluster that is down is deferred, whatever the policy") {
    val inactive = topics("orders").inactive
    assertEquals(read(down, inactive, fromEarliest, UnreadableRangePolicy.Defer), Vector("us"))
  }

  test("a cluster that does not answer is waited for once, also where another one could stand in for it") {
    val kafka = new ScriptedClusters
    val here  = new OpenedDriver(skipping, kafka, () => withStandby(kafka), UnreadableRangePolicy.Defer).driver
    try here.plan(two.held, end): Unit
    finally here.close()
    assertEquals(kafka.asked.count(_ == "eu"), 1, clues(kafka.asked))
  }

  test("a batch that may not be deferred waits for the cluster and its standby, and the error names both") {
    val kafka   = new ScriptedClusters
    val timeout = Map("clusterReadTimeout" -> "500ms")
    val here    = new OpenedDriver(skipping, kafka, () => withStandby(kafka), options = timeout).driver
    val error   =
      try intercept[DynamicKafkaException](here.plan(two.held, end))
      finally here.close()
    assertEquals(error.condition, Condition.ClusterUnreachable: Condition)
    assert(kafka.asked.count(_ == "eu") > 1 && kafka.asked.count(_ == "dr") > 1, kafka.asked)
    assert(error.getMessage.contains("reads cluster eu from it. In its place: no answer"), error.getMessage)
  }

  private def withStandby(kafka: ScriptedClusters): Topology = {
    kafka.now("eu", down)
    kafka.now("us", more)
    listed("eu" -> topics("orders"), "us" -> topics("orders"), "dr" -> topics("orders").continuing("eu"))
  }

  test(
    "a cluster that may be deferred is waited for as long as a task would wait, a needed one until it has answered"
  ) {
    def waited(policy: ReconcilePolicy): Vector[String] = {
      val kafka = new ScriptedClusters
      kafka.hangs("eu")
      kafka.now("us", more)
      kafka.wakesAfter(Duration.ofSeconds(3), "eu", more)()
      val timeout = Map("clusterReadTimeout" -> "500ms")
      val here    = new OpenedDriver(policy, kafka, () => both, UnreadableRangePolicy.Defer, options = timeout).driver
      try here.plan(two.held, end).map(_.id.cluster.value)
      finally here.close()
    }
    assertEquals(waited(skipping), Vector("us"))
    assertEquals(waited(fromEarliest), Vector("eu", "us"))
  }

  // With AQE Spark plans a batch on a thread of its own, which nobody interrupts. Clients that are closed end what they were
  // asked with failures.
  test("a query that is stopped while its uncommitted batch is planned on another thread defers nothing by that") {
    val kafka = new ScriptedClusters {
      override def close(): Unit = {
        wakes("eu", down)
        wakes("us", down)
        super.close()
      }
    }
    kafka.hangs("eu")
    kafka.hangs("us")
    val store = new InMemoryDecisionStore
    val here  = new OpenedDriver(skipping, kafka, () => both, UnreadableRangePolicy.Defer, store).driver
    val plan  = CompletableFuture.supplyAsync(() => here.plan(two.held, end))
    val limit = System.nanoTime + Duration.ofSeconds(10).toNanos
    while (kafka.asked.toSet != Set("eu", "us") && System.nanoTime < limit) Thread.onSpinWait()
    here.close()
    val stopped = intercept[ExecutionException](plan.get(10, TimeUnit.SECONDS))
    assert(stopped.getCause.isInstanceOf[InterruptedException], stopped)
    assertEquals(store.read().map(DeferredJson.read(_, store.name)), Some(Deferred.nothing))
  }

  test("very many partitions of a cluster that does not answer are deferred within seconds") {
    val eu            = listed("eu" -> topics("orders"))
    def all(end: Int) = answer("orders" -> has(Vector.fill(60000)(0 -> end): _*))
    val from          = Query(fromEarliest).sees(eu)("eu" -> all(10)).read
    val until         = from.sees(eu)("eu" -> all(15)).read.held
    val kafka         = new ScriptedClusters
    kafka.now("eu", down)
    val here  = new OpenedDriver(skipping, kafka, () => eu, UnreadableRangePolicy.Defer).driver
    val began = System.nanoTime
    try assertEquals(here.plan(from.held, until), Vector.empty)
    finally here.close()
    val took = Duration.ofNanos(System.nanoTime - began)
    // A comparison of each range with each takes half a minute.
    assert(took.toSeconds < 10, took)
  }
}
