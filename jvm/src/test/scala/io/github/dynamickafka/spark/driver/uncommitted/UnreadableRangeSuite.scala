package io.github.dynamickafka.spark.driver.uncommitted

import java.lang.management.ManagementFactory
import java.time.Duration

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRanges
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent, ReadObstacle}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Hidden, Present}

/** Which parts of an uncommitted batch count as unreachable, and which as lost. */
class UnreadableRangeSuite extends FunSuite {
  private def answered(orders: Present, kafkaId: String = "K1") = answer("orders" -> orders).of(kafkaId)

  private val whole = has(0 -> 10, 0 -> 5).of("T1")
  private val end   = Query(fromEarliest).sees(listed("eu" -> topics("orders")))("eu" -> answered(whole)).read.held

  private def found(seen: (String, ClusterObservation)*): Vector[String] =
    UnreadableRange.of(
      OffsetRanges.between(Query().held, end),
      end,
      seen.map { case (id, a) => ClusterId(id) -> a }.toMap
    )
      .map(part => s"${part.range.id.partition} ${part.why.condition.name.stripPrefix("DYNAMIC_KAFKA_")}")

  test("a cluster that answers as it was is read") {
    assertEquals(found("eu" -> answered(whole)), Vector.empty)
  }

  test("a cluster that is not listed, does not answer, or answers as another is out of reach as a whole") {
    assertEquals(found(), Vector("0 CLUSTER_NOT_LISTED", "1 CLUSTER_NOT_LISTED"))
    assertEquals(found("eu" -> down), Vector("0 CLUSTER_UNREACHABLE", "1 CLUSTER_UNREACHABLE"))
    assertEquals(found("eu" -> answered(whole, "K2")), Vector("0 CLUSTER_CHANGED", "1 CLUSTER_CHANGED"))
  }

  test("a topic that nothing is said of is out of reach") {
    assertEquals(found("eu" -> answer().of("K1")), Vector("0 CLUSTER_UNREACHABLE", "1 CLUSTER_UNREACHABLE"))
  }

  test("a partition that an answer leaves out is not: its task finds out") {
    assertEquals(found("eu" -> answered(only(0 -> (0 -> 10)).of("T1"))), Vector.empty)
  }

  test(
    "so are a topic that may not be seen, or not be read, and a partition whose leader does not answer, each alone"
  ) {
    assertEquals(found("eu" -> answer("orders" -> Hidden).of("K1")), Vector("0 NOT_AUTHORIZED", "1 NOT_AUTHORIZED"))
    val barred = whole.copy(obstacle = ReadObstacle(Vector("READ")))
    assertEquals(found("eu" -> answered(barred)), Vector("0 NOT_AUTHORIZED", "1 NOT_AUTHORIZED"))
    val silent = whole.copy(obstacle = ReadObstacle(partitions = SortedMap(1 -> ReadObstacle.NoAnswer)))
    assertEquals(found("eu" -> answered(silent)), Vector("1 CLUSTER_UNREACHABLE"))
  }

  test("very many partitions of one topic that nobody leads are found within seconds") {
    val eu    = listed("eu" -> topics("orders"))
    val many  = 60000
    val all   = has(Vector.fill(many)(0 -> 10): _*).of("T1")
    val until = Query(fromEarliest).sees(eu)("eu" -> answered(all)).read.held
    val batch = OffsetRanges.between(Query().held, until)
    val seen  = Map(ClusterId("eu") -> answered(only().of("T1").leaderless(0 until many: _*)))
    val began = ManagementFactory.getThreadMXBean.getCurrentThreadCpuTime
    assertEquals(UnreadableRange.of(batch, until, seen).size, many)
    val took = Duration.ofNanos(ManagementFactory.getThreadMXBean.getCurrentThreadCpuTime - began)
    // A look at the whole topic for each of them takes minutes.
    assert(took.toSeconds < 10, took)
  }

  test("what is lost is not out of reach: a topic that is gone, or another one") {
    assertEquals(found("eu" -> answer("orders" -> absent).of("K1")), Vector.empty)
    assertEquals(found("eu" -> answered(Present(Some("T2"), Map(0 -> Extent(0, 1))))), Vector.empty)
  }

  test("each reason is one warning, which names the parts, how many records they are, and the one case of a repeat") {
    val parts = UnreadableRange.of(OffsetRanges.between(Query().held, end), end, Map(ClusterId("eu") -> down))
    val said  = DeferralTexts.warnings(Some(7), parts, "the newest file")
    assertEquals(said.map(_.condition), Vector(Condition.ClusterUnreachable: Condition))
    for (
      text <- Seq(
        "partition=0 offsets=0 until 10",
        "partition=1 offsets=0 until 5",
        "15 records",
        "no answer",
        "twice",
        "of batch 7:"
      )
    )
      assert(said.head.detail.contains(text), said.head.detail)
  }
}
