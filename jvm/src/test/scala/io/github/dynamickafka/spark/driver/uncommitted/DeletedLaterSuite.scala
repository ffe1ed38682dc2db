package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.SourceDriver
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{DirectLink, Query, RecordedKafka, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.read.ReaderFixture
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, Topology}

/** As MovedTopicDeletedSuite, but the topic is deleted after the left-over batch was planned. */
class DeletedLaterSuite extends FunSuite with StepScenes {
  private def at(id: String, cluster: ListedCluster) =
    id -> cluster.copy(connection = Right(new ConnectionSettings(Map("bootstrap.servers" -> s"$id:9092"))))

  private def eu(orders: TopicObservation, bills: Int) =
    "eu" -> answer("orders" -> orders, "bills" -> has(0 -> bills).of("T2")).of("K1")
  private def t1(end: Int)                 = has(0 -> end).of("T1")
  private def us(orders: TopicObservation) = "us" -> answer("orders" -> orders).of("K2")
  private def t9(end: Int)                 = has(0 -> end).of("T9")

  private val alone = listed(at("eu", topics("orders", "bills")))
  private val less  = listed(at("eu", topics("bills")))
  private val moved = listed(at("eu", topics("bills")), at("us", topics("orders").continuing("eu")))
  private val first = Query(fromEarliest).sees(alone)(eu(t1(10), 10)).read
  // Taken off: it drains up to 25. The batch is logged, and the driver dies.
  private val off   = first.sees(less)(eu(t1(25), 10)).readSome(_ => Map.empty)
  private val drain = off.sees(less)(eu(t1(25), 15)).read

  // What the tasks read of these ranges, once brokers do not know the topic any more.
  private def executed(driver: SourceDriver, from: SourceOffset, end: SourceOffset): String = {
    val kafka = new RecordedKafka
    kafka.forgotten += "orders"
    val reads = new ReaderFixture(kafka, failOnDataLoss = true, tick = Duration.ofMillis(100))
    val all   = driver.plan(from, end)
    val own   = all.filter(_.id.topic == "orders")
    val link  = new DirectLink(driver, first = all.indexWhere(own.contains), patient = true)
    try s"rows=${reads.rows(link, again = false)(own: _*).size} lost=${reads.figures.lostRecords.value}"
    catch { case e: DynamicKafkaException => e.getMessage }
  }

  /** @param later what is listed once the batch is planned */
  private def story(
      topology: Topology,
      from: SourceOffset,
      end: SourceOffset
  )(
      before: TopicObservation,
      mirrorAfter: TopicObservation,
      euUp: Boolean = true,
      later: Option[Topology] = None
  ): String = {
    val kafka            = new ScriptedClusters
    @volatile var listed = topology
    kafka.now("eu", if (euUp) eu(before, 15)._2 else down)
    kafka.now("us", us(t9(35))._2)
    val policy = fromEarliest.copy(agreement = Duration.ofMillis(500))
    val here   = new OpenedDriver(policy, kafka, () => listed, options = Map("clusterReadTimeout" -> "1s"))
    def orders(from: SourceOffset, to: SourceOffset) = here.driver.plan(from, to).filter(_.id.topic == "orders")
    try {
      val planned = orders(from, end)
      val text    = planned.map(r =>
        s"${r.id.cluster} ${r.from}-${r.until} removed=${r.removed} from ${here.driver.connectionsOfBatch(r.id.cluster).bootstrapServers}"
      )
      // Now it is deleted. The tasks run.
      kafka.now("eu", if (euUp) eu(absent, 15)._2 else down)
      kafka.now("us", us(mirrorAfter)._2)
      later.foreach(listed = _)
      val tasks = executed(here.driver, from, end)
      here.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
      var next = end
      for (_ <- 1 to 8) {
        next = here.driver.latest(next, ReadLimits.everything); here.asks.rest(Duration.ofMillis(200))
      }
      val after = ranges(end, next)
      val state = here.driver.remembered
      s"${text.mkString(",")} | tasks: $tasks | then ${after.mkString(",")} lostRecords=${state.lostRecords} abandoned=${state.abandonedRecords}"
    } catch { case e: DynamicKafkaException => s"error ${e.getMessage}" }
    finally here.driver.close()
  }

  test("eu.orders is deleted while the left-over batch drains it; us continues it and has all of it") {
    val said = story(moved, off.held, drain.held)(t1(25), t9(35))
    assert(!said.contains("rows=0 lost=0"), said)
  }

  test("us continues it only once the batch is planned: us has the rest") {
    val said = story(less, off.held, drain.held)(t1(25), t9(35), later = Some(moved))
    assert(said.contains("| tasks: rows=0 lost=0 | then us orders 0 10-35"), said)
  }

  test("the same, and us has less than eu had: what it lacks counts as abandoned") {
    val said = story(less, off.held, drain.held)(t1(25), t9(20), later = Some(moved))
    assert(said.contains("| tasks: rows=0 lost=0 | then us orders 0 10-20 lostRecords=0 abandoned=5"), said)
  }

  // A limit of batches cuts the drain: 10 to 18 of 10 to 25.
  private val slice = off.sees(less)(eu(t1(25), 15)).readSome(_.map { case (id, end) =>
    id -> (if (id.topic == "orders") 18L else end)
  })

  for (end <- Seq(12, 20))
    test(s"the same, and the left-over batch is a slice of the drain; us has $end") {
      val said = story(less, off.held, slice.held)(t1(25), t9(end), later = Some(moved))
      assert(said.contains(s"then us orders 0 10-$end lostRecords=0 abandoned=${25 - end}"), said)
    }

  test("a slice of the drain is left over, and nobody continues eu: what is deleted after its removal is no loss") {
    val said = story(less, off.held, slice.held)(t1(25), t9(35))
    assert(said.contains("| tasks: rows=0 lost=0 | then  lostRecords=0 abandoned=0"), said)
  }

  // The batch reads nothing else of eu: the mirror stands in. The mirror's topic is listed, and is deleted.
  private val onlyOrders = listed(at("eu", topics("orders")))
  private val none       = listed(at("eu", topics()))
  private val empty      = listed(at("us", topics("orders").continuing("eu")))
  private val own        = Query(fromEarliest).sees(onlyOrders)(eu(t1(10), 10)).read
  private val own2       = own.sees(none)(eu(t1(25), 10)).readSome(_ => Map.empty)
  private val own3       = own2.sees(none)(eu(t1(25), 10)).read

  test("the mirror stands in for a removed topic, is listed, and is deleted while it is read") {
    val said = story(empty, own2.held, own3.held)(t1(25), absent, euUp = false)
    assert(!said.contains("rows=0 lost=0"), said)
  }

  // The same Kafka cluster under a new id, which does not answer now. The topic was removed, drained, and is deleted.
  for ((up, name) <- Seq(true -> "control: eu2 answers", false -> "eu2 is out of reach"))
    test(s"a removed topic was deleted; eu2 is eu under another name, and lists it again: $name") {
      val renamed = listed(at("eu", topics("bills")), at("eu2", topics("orders").continuing("eu")))
      val kafka   = new ScriptedClusters
      kafka.now("eu", eu(absent, 15)._2)
      kafka.now("eu2", if (up) answer("orders" -> absent).of("K1") else down)
      val policy = skipping.copy(agreement = Duration.ofMillis(500))
      val here   = new OpenedDriver(policy, kafka, () => renamed, options = Map("clusterReadTimeout" -> "1s"))
      val said   =
        try here.driver.plan(off.held, drain.held).map(r => s"${r.id} ${r.from}-${r.until}").toString
        catch { case e: DynamicKafkaException => s"error ${e.getMessage}" }
        finally here.driver.close()
      // Whether it is the same Kafka cluster is not known then.
      if (up) assertEquals(said, "Vector(cluster=eu topic=bills partition=0 10-15)")
      else assert(said.startsWith("error [DYNAMIC_KAFKA_CLUSTER_UNREACHABLE]"), said)
    }
}
