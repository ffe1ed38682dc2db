package io.github.dynamickafka.spark.metrics

import java.time.Instant

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.driver.{ClusterSurvey, DriverState, LastStep}
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, Removal, SourceOffset}
import io.github.dynamickafka.spark.reconcile.Reconciled
import io.github.dynamickafka.spark.topology.Topology

/** What follows from the last step. Leaves out what needs a running driver: discovery, rates and times. */
class SourceMetricsSuite extends munit.FunSuite {
  private val (orders, refunds) = (id("a", "orders", 0), id("a", "refunds", 0))
  private val before            = offset(orders -> PartitionOffset(0, 5, 0), refunds -> PartitionOffset(0, 7, 0))

  private def removed(topic: String, target: Long): SourceOffset = {
    val held    = before.clusters(ClusterId("a"))
    val removal = Removal(at = 1, targets = Some(SortedMap(0 -> target)))
    val topics  = held.topics.updated(topic, held.topics(topic).copy(removal = Some(removal)))
    before.copy(clusters = before.clusters.updated(ClusterId("a"), held.copy(topics = topics)))
  }

  private def metrics(known: SourceOffset, consumed: SourceOffset): Map[String, String] = {
    val step = LastStep(
      Instant.EPOCH,
      before,
      ClusterSurvey(Topology.empty, Map.empty, Map.empty, Instant.EPOCH),
      Reconciled(known, urgent = false, PartitionMap.empty, Vector.empty),
      quiet = true
    )
    SourceMetrics.ofClusters(step, DriverState(last = Some(step)), Some(consumed), Map.empty)
  }

  test("a removal counts at once, though no batch has recorded it yet") {
    val draining = metrics(removed("refunds", 9), before)
    assertEquals(draining.get("cluster.a.state"), Some("draining"))
    assertEquals(draining.get("activeSplitCount"), Some("2"))
  }

  test("what a batch has read since the last step counts, too") {
    val drained = metrics(removed("refunds", 9), removed("refunds", 9).moved(Map(refunds -> 9L)))
    assertEquals(drained.get("cluster.a.state"), None)
    assertEquals(drained.get("kafkaClustersCount"), Some("0"))
  }
}
