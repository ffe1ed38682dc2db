package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, Topology}

/** One topic of a cluster was moved to a mirror, and deleted on the old cluster. A batch that is logged also needs another topic
  * of that cluster, which answers. So no mirror stands in for it: what was deleted is lost, and never in silence.
  */
class MovedTopicDeletedSuite extends FunSuite with StepScenes {
  private def at(id: String, cluster: ListedCluster) =
    id -> cluster.copy(connection = Right(new ConnectionSettings(Map("bootstrap.servers" -> s"$id:9092"))))

  private def eu(orders: TopicObservation, bills: Int) =
    "eu" -> answer("orders" -> orders, "bills" -> has(0 -> bills).of("T2")).of("K1")
  private def t1(end: Int) = has(0 -> end).of("T1")
  private def us(end: Int) = "us" -> answer("orders" -> has(0 -> end).of("T9")).of("K2")

  private val alone = listed(at("eu", topics("orders", "bills")))
  private val less  = listed(at("eu", topics("bills")))
  private val moved = listed(at("eu", topics("bills")), at("us", topics("orders").continuing("eu")))
  private val empty = listed(at("eu", topics()), at("us", topics("orders").continuing("eu")))
  private val first = Query(skipping).sees(alone)(eu(t1(10), 10)).read

  private def story(from: SourceOffset, end: SourceOffset, topology: Topology, lossy: Boolean): String = {
    val kafka = new ScriptedClusters
    kafka.now("eu", eu(absent, 15)._2)
    kafka.now("us", us(35)._2)
    val policy = fromEarliest.copy(agreement = Duration.ofMillis(500), failOnDataLoss = !lossy)
    val here   = new OpenedDriver(policy, kafka, () => topology, options = Map("clusterReadTimeout" -> "1s"))
    def orders(from: SourceOffset, to: SourceOffset) = here.driver.plan(from, to).filter(_.id.topic == "orders")
    try {
      val before = orders(from, end).map { range =>
        s"${range.id.cluster} ${range.from}-${range.until} from ${here.driver.connectionsOfBatch(range.id.cluster).bootstrapServers}"
      }
      here.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
      val next  = here.driver.latest(end, ReadLimits.everything)
      val after = orders(end, next).map(range => s"${range.id.cluster} ${range.from}-${range.until}")
      s"${before.mkString(",")} then ${after.mkString(",")} lost=${here.driver.remembered.lostRecords}"
    } catch { case e: DynamicKafkaException => e.getMessage }
    finally here.driver.close()
  }

  private val listedBatch = first.sees(alone)(eu(t1(15), 15)).read
  // Taken off: it drains up to 25.
  private val off   = first.sees(less)(eu(t1(25), 10)).readSome(_ => Map.empty)
  private val drain = off.sees(less)(eu(t1(25), 15)).read

  private val lost = "deleted since: cluster=eu topic=orders partition=0 offsets=10 until"

  test("it was listed when the batch was logged: an error, or a count") {
    assert(story(first.held, listedBatch.held, moved, lossy = false).contains(s"$lost 15"))
    assertEquals(story(first.held, listedBatch.held, moved, lossy = true), " then us 15-35 lost=5")
  }

  test("it drained when the batch was logged: the same, since its log is listed again") {
    assert(story(off.held, drain.held, moved, lossy = false).contains(s"$lost 25"))
    assertEquals(story(off.held, drain.held, moved, lossy = true), " then us 25-35 lost=15")
  }

  test("the same if the other topic is not listed any more") {
    assert(story(first.held, listedBatch.held, empty, lossy = false).contains(s"$lost 15"))
    assert(story(off.held, drain.held, empty, lossy = false).contains(s"$lost 25"))
  }

  test("the same where the mirror is paused, or the old cluster for its other topic") {
    val rests = Seq(
      listed(at("eu", topics("bills")), at("us", topics("orders").continuing("eu").paused)),
      listed(at("eu", topics("bills").paused), at("us", topics("orders").continuing("eu")))
    )
    for (now <- rests) assert(story(first.held, listedBatch.held, now, lossy = false).contains(s"$lost 15"))
  }

  private val one  = listed(at("eu", topics("orders")))
  private val none = listed(at("eu", topics()))
  private val own  = Query(skipping).sees(one)(eu(t1(10), 10)).read

  test("control: where the batch needs nothing else of that cluster, the mirror stands in") {
    assertEquals(
      story(own.held, own.sees(one)(eu(t1(15), 10)).read.held, empty, lossy = false),
      "eu 10-15 from us:9092 then us 15-35 lost=0"
    )
    val drains = own.sees(none)(eu(t1(25), 10)).readSome(_ => Map.empty)
    assertEquals(
      story(drains.held, drains.sees(none)(eu(t1(25), 10)).read.held, empty, lossy = false),
      "eu 10-25 from us:9092 then us 25-35 lost=0"
    )
  }
}
