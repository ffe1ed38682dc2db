package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.UnreadableRangePolicy
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, Topology}

/** `us` takes refunds over from `eu`, by `continues: eu`, and lists no orders. It has a topic orders of its own, which is none
  * of this query's. A batch left over reads orders of `eu`.
  */
class StandInUnlistedTopicSuite extends FunSuite with StepScenes {
  private def at(id: String, cluster: ListedCluster) =
    id -> cluster.copy(connection = Right(new ConnectionSettings(Map("bootstrap.servers" -> s"$id:9092"))))

  private def eu(orders: Int, refunds: Int) =
    "eu" -> answer("orders" -> has(0 -> orders).of("T1"), "refunds" -> has(0 -> refunds).of("T2")).of("K1")
  private def us(orders: Int, refunds: Int): (String, ClusterObservation) =
    "us" -> answer("orders" -> has(0 -> orders).of("T8"), "refunds" -> has(0 -> refunds).of("T9")).of("K2")

  private val first = Query(skipping).sees(listed(at("eu", topics("orders", "refunds"))))(eu(10, 10)).read
  private val moved = listed(at("eu", topics("orders")), at("us", topics("refunds").continuing("eu")))
  private val took  = first.sees(moved)(eu(10, 10), us(30, 10)).read
  private val end   = took.sees(moved)(eu(15, 10), us(35, 12)).read

  private def started(topology: Topology, unreadable: UnreadableRangePolicy) = {
    val kafka = new ScriptedClusters
    kafka.now("eu", down)
    kafka.now("us", us(35, 12)._2)
    kafka -> new OpenedDriver(skipping, kafka, () => topology, unreadable, options = Map("clusterReadTimeout" -> "1s"))
  }

  /** From where, and what, the batch reads of `eu`. */
  private def read(
      topology: Topology,
      unreadable: UnreadableRangePolicy = UnreadableRangePolicy.Wait
  ): Vector[String] = {
    val (_, here) = started(topology, unreadable)
    try here.driver.plan(took.held, end.held).filter(_.id.cluster == ClusterId("eu")).map { range =>
        s"${range.id.topic} ${range.from}-${range.until} from ${here.driver.connectionsOfBatch(range.id.cluster).bootstrapServers}"
      }
    finally here.driver.close()
  }

  test("what the batch reads") {
    assertEquals(ranges(took.held, end.held), Vector("eu orders 0 10-15", "us refunds 0 10-12"))
  }

  test("eu is listed with orders, and down for a moment: its orders are not read of us") {
    assertEquals(read(moved), Vector("orders 10-15 from eu:9092"))
  }

  test("under defer they are left to a later batch") {
    assertEquals(read(moved, UnreadableRangePolicy.Defer), Vector.empty)
  }

  test("eu is listed no more: nobody knows its address") {
    val gone = listed(at("us", topics("refunds").continuing("eu")))
    val said =
      try read(gone).mkString
      catch { case e: DynamicKafkaException => e.condition.name }
    assertEquals(said, "DYNAMIC_KAFKA_CLUSTER_NOT_LISTED")
  }

  /** What is read of a cluster, and from where: of the uncommitted batch, and of the batches after it once the cluster is back. */
  private def story(here: OpenedDriver, cluster: String)(back: => Unit): String = {
    def own(from: SourceOffset, to: SourceOffset) =
      here.driver.plan(from, to).filter(_.id.cluster == ClusterId(cluster)).map { range =>
        s"${range.from}-${range.until} from ${here.driver.connectionsOfBatch(range.id.cluster).bootstrapServers}"
      }
    try {
      val before = own(took.held, end.held)
      back
      val next = here.driver.latest(end.held, ReadLimits.everything)
      val more = own(end.held, next)
      here.asks.rest(Duration.ofSeconds(1))
      val last = here.driver.latest(next, ReadLimits.everything)
      (before ++ more ++ (if (last == next) Vector.empty else own(next, last))).mkString(", ")
    } finally here.driver.close()
  }

  test("each order of eu is read, once") {
    val (kafka, here) = started(moved, UnreadableRangePolicy.Defer)
    assertEquals(story(here, "eu")(kafka.now("eu", eu(20, 10)._2)), "10-20 from eu:9092")
  }

  // Refunds was moved to us, and stragglers still write to the old topic on eu, which the query reads for its orders.
  private def ofUs(topology: Topology, unreadable: UnreadableRangePolicy, refundsOnEu: Int = 40): Vector[String] = {
    val kafka = new ScriptedClusters
    kafka.now("eu", eu(15, refundsOnEu)._2)
    kafka.now("us", down)
    val here =
      new OpenedDriver(skipping, kafka, () => topology, unreadable, options = Map("clusterReadTimeout" -> "1s")).driver
    try here.plan(took.held, end.held).filter(_.id.cluster == ClusterId("us")).map { range =>
        s"${range.id.topic} ${range.from}-${range.until} from ${here.connectionsOfBatch(range.id.cluster).bootstrapServers}"
      }
    finally here.close()
  }

  test("the log was handed over to us up to 10") {
    assertEquals(
      end.held.topic(ClusterId("us"), "refunds").map(_.formers.map { case (id, at) => id.value -> at.toMap }.toMap),
      Some(Map("eu" -> Map(0 -> 10L)))
    )
  }

  test("us is down for a moment: what lies behind the hand-over is not read of eu, which lists refunds no more") {
    assertEquals(ofUs(moved, UnreadableRangePolicy.Wait), Vector("refunds 10-12 from us:9092"))
  }

  test("under defer it is left to a later batch") {
    assertEquals(ofUs(moved, UnreadableRangePolicy.Defer), Vector.empty)
  }

  test("nor is it where eu stands by") {
    val beside = listed(at("eu", topics("orders", "refunds")), at("us", topics("refunds").continuing("eu")))
    assertEquals(ofUs(beside, UnreadableRangePolicy.Defer), Vector.empty)
  }

  test("nor where eu is listed for its drain alone") {
    val drains = listed(at("eu", topics()), at("us", topics("refunds").continuing("eu")))
    assertEquals(ofUs(drains, UnreadableRangePolicy.Defer), Vector.empty)
  }

  test("nor where the line is gone, and both go on apart") {
    val apart = listed(at("eu", topics("orders")), at("us", topics("refunds")))
    assertEquals(ofUs(apart, UnreadableRangePolicy.Defer), Vector.empty)
  }

  test("each refund of us is read, once") {
    val kafka = new ScriptedClusters
    kafka.now("eu", eu(15, 40)._2)
    kafka.now("us", down)
    val here = new OpenedDriver(
      skipping,
      kafka,
      () => moved,
      UnreadableRangePolicy.Defer,
      options = Map("clusterReadTimeout" -> "1s")
    )
    assertEquals(story(here, "us")(kafka.now("us", us(35, 20)._2)), "10-20 from us:9092")
  }

  test("under wait, the batch waits for us, though eu has less") {
    assertEquals(ofUs(moved, UnreadableRangePolicy.Wait, refundsOnEu = 10), Vector("refunds 10-12 from us:9092"))
  }
}
