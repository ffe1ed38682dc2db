package io.github.dynamickafka.spark.ask

import java.util.concurrent.CompletableFuture

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.{ClusterObservation, Question}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The clusters that can be asked. No call blocks, and the futures never fail: a failure is an answer. */
trait AskedClusters extends AutoCloseable {

  /** Keeps clients for just these clusters. An ask by a client that is closed ends with a failure. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit

  /** What a cluster says of its topics. */
  def observing(cluster: ClusterId, topics: Set[String]): CompletableFuture[ClusterObservation]

  /** The offsets of these points; nothing where there is no record that late, or nothing committed. */
  def resolving(
      cluster: ClusterId,
      questions: Set[Question]
  ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]]
}
