package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.driver.OpenedSource
import io.github.dynamickafka.spark.driver.trigger.StepScenes
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{Query, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetPoint, SourceOffset}
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.topology.Topology

/** An uncommitted batch is read from another id of its log only once that id has shown which records it has. */
class SilentStandInSuite extends FunSuite with StepScenes {
  private val names = topics("orders")
  private val next  = names.continuing("eu")
  private val alone = listed("eu" -> names)
  private val ended = listed("new" -> next.startingAt("""{"orders":{"0":12}}"""))

  private def eu(end: Int)     = answer("orders" -> has(0 -> end).of("T1")).of("K1")
  private def mirror(end: Int) = answer("orders" -> has(0 -> end).of("T9")).of("K2")

  private val begun      = Query(fromEarliest).sees(alone)("eu" -> eu(10)).read
  private val last       = begun.sees(alone)("eu" -> eu(15)).read.held
  private val leaderless = answer("orders" -> only().of("T9").leaderless(0)).of("K2")
  private val quick      = skipping.copy(agreement = Duration.ofMillis(300))

  private def driver(topology: Topology, kafka: ScriptedClusters, options: (String, String)*)(
      body: OpenedDriver => Unit
  ): Unit = {
    val opened = new OpenedDriver(quick, kafka, () => topology, options = options.toMap)
    try body(opened)
    finally opened.driver.close()
  }

  private def planned(opened: OpenedDriver, start: SourceOffset, end: SourceOffset): Vector[String] =
    opened.driver.plan(start, end).map(range => s"${range.from}-${range.until}")

  private def failure(opened: OpenedDriver, start: SourceOffset, end: SourceOffset): DynamicKafkaException =
    intercept[DynamicKafkaException](planned(opened, start, end))

  for ((how, said) <- Seq("down" -> down, "without a leader" -> leaderless)) {
    test(s"a mirror that is $how at first is read up to where mirroring ended, and from there on later") {
      val kafka = new ScriptedClusters
      kafka.now("new", said)
      driver(ended, kafka) { opened =>
        kafka.wakesAfter(Duration.ofMillis(300), "new", mirror(30))()
        assertEquals(planned(opened, begun.held, last), Vector("10-12"))
        assertEquals(opened.driver.kafkaIdsOfBatch.values.toVector, Vector("K2"))
        opened.poller.after(CallOrder.next(), Duration.ofSeconds(10)): Unit
        val later = ranges(last, opened.driver.latest(last, ReadLimits.everything))
        assertEquals(later, Vector("new orders 0 12-30"))
      }
    }

    test(s"a mirror that stays $how fails the query after clusterReadTimeout") {
      val kafka = new ScriptedClusters
      kafka.now("new", said)
      driver(ended, kafka, "clusterReadTimeout" -> "400ms") { opened =>
        assertEquals(failure(opened, begun.held, last).condition, Condition.ClusterUnreachable: Condition)
      }
    }
  }

  test("the same Kafka cluster under a new id: a topic that was created again meanwhile is not read") {
    val kafka = new ScriptedClusters
    kafka.now("new", down)
    driver(listed("new" -> next), kafka) { opened =>
      kafka.wakesAfter(Duration.ofMillis(300), "new", answer("orders" -> has(0 -> 30).of("T2")).of("K1"))()
      assertEquals(failure(opened, begun.held, last).condition, Condition.TopicRecreated: Condition)
    }
  }

  test("a cluster that answers while its mirror is waited for is read itself") {
    val kafka = new ScriptedClusters
    kafka.now("eu", down)
    kafka.now("new", leaderless)
    driver(listed("eu" -> names, "new" -> next), kafka) { opened =>
      kafka.wakesAfter(Duration.ofMillis(300), "eu", eu(20))()
      assertEquals(planned(opened, begun.held, last), Vector("10-15"))
      assertEquals(opened.driver.kafkaIdsOfBatch.values.toVector, Vector("K1"))
    }
  }

  test("a partition that is assigned no more is still read to the end of an uncommitted batch") {
    val settings = SourceOptionsParser.settings(
      Map(
        "kafka.bootstrap.servers"  -> "b:9092",
        "assign"                   -> """{"orders":[1]}""",
        "unreadableRangePolicy"    -> "defer",
        "unavailableClusterPolicy" -> "skip"
      ),
      ReadKind.Streaming
    )
    val kafkaListed    = listed("kafka" -> topics("orders"))
    def both(end: Int) = answer("orders" -> has(0 -> end, 0 -> end).of("T1")).of("K1")
    val from           = Query(skipping).sees(kafkaListed)("kafka" -> both(10)).read
    val until          = from.sees(kafkaListed)("kafka" -> both(15)).read.held
    val kafka          = new ScriptedClusters
    kafka.now("kafka", answer("orders" -> only(1 -> (0 -> 15)).of("T1")).of("K1"))
    val opened = new OpenedDriver(
      OpenedSource.policy(settings, OffsetPoint.Latest),
      kafka,
      () => kafkaListed,
      UnreadableRangePolicy.Defer,
      parsed = Some(settings)
    )
    try
      assertEquals(
        opened.driver.plan(from.held, until).map(one => (one.id.partition, one.from, one.until)),
        Vector((0, 10L, 15L), (1, 10L, 15L))
      )
    finally opened.driver.close()
  }
}
