package io.github.dynamickafka.spark.driver.trigger

import munit.FunSuite

import io.github.dynamickafka.spark.driver.OpenedSource
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetPoint, PartitionOffset, SourceOffset}
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser}
import io.github.dynamickafka.spark.plan.ReadLimits
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** Where a new query begins by the options of Spark's own Kafka source. */
class OneClusterStartSuite extends FunSuite with StepScenes {
  private def begins(from: SourceOffset, more: (String, String)*): Map[Int, Long] =
    begins(answer("orders" -> has(2 -> 10, 3 -> 10)), from, more: _*)

  private def begins(seen: ClusterObservation, from: SourceOffset, more: (String, String)*): Map[Int, Long] = {
    val least    = Map("kafka.bootstrap.servers" -> "b:9092", "subscribe" -> "orders")
    val settings = SourceOptionsParser.settings(least ++ more, ReadKind.Streaming)
    val clusters = new ScriptedClusters
    clusters.now("kafka", seen)
    val opened = new OpenedDriver(
      OpenedSource.policy(settings, OffsetPoint.Latest),
      clusters,
      () => listed("kafka" -> topics("orders")),
      parsed = Some(settings)
    )
    try
      opened.driver.latest(from, ReadLimits.everything).partitions.map { case (id, at) =>
        id.partition -> at.start
      }.toMap
    finally opened.driver.close()
  }

  test("a partition that nobody leads is held alone under skip, though the starting offsets name it") {
    val both = "startingOffsets"          -> """{"orders":{"0":5,"1":5}}"""
    val skip = "unavailableClusterPolicy" -> "skip"
    val seen = answer("orders" -> has(2 -> 10).leaderless(1))
    assertEquals(begins(seen, SourceOffset.initial, both, skip), Map(0 -> 5L))
  }

  private val zeroAlone = "startingOffsets" -> """{"orders":{"0":5}}"""

  test("offsets by partition that leave out one that is there are an error, as in Spark's own source, and no default") {
    val times = Seq(
      "startingOffsetsByTimestamp"         -> """{"orders":{"1":5}}""",
      "startingOffsetsByTimestampStrategy" -> "latest"
    )
    for (
      (more, left) <- Seq(
        (Seq(zeroAlone), 1),
        (Seq("startingOffsets" -> """{"ordres":{"0":5,"1":5}}"""), 0),
        (times, 0)
      )
    ) {
      val refused = intercept[DynamicKafkaException](begins(SourceOffset.initial, more: _*))
      assertEquals(refused.condition, Condition.InvalidOption: Condition)
      assert(refused.getMessage.contains(s"partition $left of topic orders"), refused.getMessage)
    }
  }

  test("offsets of a partition that is not there are an error, too") {
    val refused = intercept[DynamicKafkaException](
      begins(SourceOffset.initial, "startingOffsets" -> """{"orders":{"0":5,"1":5,"7":5}}""")
    )
    assertEquals(refused.condition, Condition.InvalidOption: Condition)
    assert(refused.getMessage.contains("partition 7 of topic orders"), refused.getMessage)
  }

  // No record of these clusters is ever that late.
  test("a time that no record reaches is an error, as in Spark's own source, or the end if that is asked for") {
    for (time <- Seq("startingTimestamp" -> "5", "startingOffsetsByTimestamp" -> """{"orders":{"0":5,"1":5}}""")) {
      for (more <- Seq(Nil, Seq("startingOffsetsByTimestampStrategy" -> "error"))) {
        val refused = intercept[DynamicKafkaException](begins(SourceOffset.initial, time +: more: _*))
        assertEquals(refused.condition, Condition.InvalidOption: Condition)
        assert(refused.getMessage.contains("partition 0 of topic orders"), refused.getMessage)
      }
      val latest = "startingOffsetsByTimestampStrategy" -> "latest"
      assertEquals(begins(SourceOffset.initial, time, latest), Map(0 -> 10L, 1 -> 10L))
    }
  }

  test("offsets of each partition, or one for all, are where a query begins") {
    assertEquals(begins(SourceOffset.initial), Map(0 -> 10L, 1 -> 10L))
    assertEquals(begins(SourceOffset.initial, "startingOffsets" -> "earliest"), Map(0 -> 2L, 1 -> 3L))
    val all = "startingOffsets" -> """{"orders":{"0":5,"1":-2}}"""
    assertEquals(begins(SourceOffset.initial, all), Map(0 -> 5L, 1 -> 3L))
  }

  test("a topic that is chosen no more drains where it was read, and none of its other partitions is begun") {
    val chosen   = "assign" -> """{"refunds":[0]}"""
    val settings = SourceOptionsParser.settings(Map("kafka.bootstrap.servers" -> "b:9092", chosen), ReadKind.Streaming)
    val one      = settings.oneCluster.getOrElse(fail("it is not one cluster"))
    val scripted = new ScriptedClusters
    val read     = Seq("orders", "refunds").map(one.partitions(_, Map("orders" -> Set(0))))
    assertEquals(read, Seq(Some(Set(0)), Some(Set(0))))
    scripted.now("kafka", answer("orders" -> has(2 -> 10), "refunds" -> has(0 -> 4)))
    val opened = new OpenedDriver(
      OpenedSource.policy(settings, OffsetPoint.Latest),
      scripted,
      () => listed("kafka" -> topics("refunds")),
      parsed = Some(settings)
    )
    val held = offset(id("kafka", "orders", 0) -> PartitionOffset(0, 7, 0))
    try assertEquals(
        ranges(held, opened.driver.latest(held, ReadLimits.everything)),
        Vector("kafka orders 0 7-10", "kafka refunds 0 0-4")
      )
    finally opened.driver.close()
  }

  test("once a query has begun they have no say: a partition that comes later is no error") {
    val held = offset(
      id("kafka", "orders", 0) ->
        PartitionOffset(5, 7, 0)
    )
    assertEquals(begins(held, zeroAlone), Map(0 -> 5L, 1 -> 3L))
  }
}
