package io.github.dynamickafka.spark.driver.trigger

import munit.FunSuite

import io.github.dynamickafka.spark.driver.OpenedSource
import io.github.dynamickafka.spark.fakes.ScriptedClusters
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetPoint, SourceOffset}
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser}
import io.github.dynamickafka.spark.plan.ReadLimits

class OneClusterLeaderlessStartSuite extends FunSuite with StepScenes {
  test("a partition that nobody leads is held alone under skip, though the starting offsets name it") {
    val settings = SourceOptionsParser.settings(
      Map(
        "kafka.bootstrap.servers"  -> "b:9092",
        "subscribe"                -> "orders",
        "startingOffsets"          -> """{"orders":{"0":5,"1":5}}""",
        "unavailableClusterPolicy" -> "skip"
      ),
      ReadKind.Streaming
    )
    val clusters = new ScriptedClusters
    clusters.now("kafka", answer("orders" -> has(2 -> 10).leaderless(1)))
    val opened = new OpenedDriver(
      OpenedSource.policy(settings, OffsetPoint.Latest),
      clusters,
      () => listed("kafka" -> topics("orders")),
      parsed = Some(settings)
    )
    try
      assertEquals(
        opened.driver.latest(SourceOffset.initial, ReadLimits.everything).partitions.map(_._2.start).toVector,
        Vector(5L)
      )
    finally opened.driver.close()
  }
}
