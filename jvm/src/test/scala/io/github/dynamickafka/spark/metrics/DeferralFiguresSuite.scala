package io.github.dynamickafka.spark.metrics

import java.time.Instant

import munit.FunSuite

import io.github.dynamickafka.spark.deferral.ClusterDeferral
import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.Deferred

/** What the metrics say of records that batches deferred. */
class DeferralFiguresSuite extends FunSuite {
  private val eu   = ClusterId("eu-1")
  private val last = ClusterDeferral(Some(12), 3, 12000, Condition.ClusterUnreachable, Instant.EPOCH)

  test("while some are not read, batch, partitions and records are figures of their cluster") {
    assertEquals(
      SourceMetrics.deferred(
        Map(eu -> Deferred.Unread(2, 700), ClusterId("us") -> Deferred.Unread(1, 5)),
        Map(eu -> last)
      ),
      Map(
        "deferredRecords"                 -> "705",
        "cluster.eu-1.deferredRecords"    -> "700",
        "cluster.eu-1.deferredPartitions" -> "2",
        "cluster.eu-1.deferredInBatch"    -> "12",
        "cluster.eu-1.lastDeferral"       ->
          "deferred in batch 12: 3 partitions of eu-1, 12,000 records (DYNAMIC_KAFKA_CLUSTER_UNREACHABLE) at 1970-01-01T00:00:00Z",
        "cluster.us.deferredRecords"    -> "5",
        "cluster.us.deferredPartitions" -> "1"
      )
    )
  }

  test("once all are read the figures are gone, and the text says since when") {
    val good = last.copy(madeGood = Some(Instant.ofEpochSecond(60)))
    val seen = SourceMetrics.deferred(Map.empty, Map(eu -> good))
    assertEquals(seen.keySet, Set("deferredRecords", "cluster.eu-1.lastDeferral"))
    assertEquals(seen("deferredRecords"), "0")
    assert(seen("cluster.eu-1.lastDeferral").endsWith(" at 1970-01-01T00:00:00Z, made good at 1970-01-01T00:01:00Z"))
  }
}
