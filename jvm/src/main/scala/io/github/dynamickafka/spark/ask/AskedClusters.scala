package io.github.dynamickafka.spark.ask

import java.util.concurrent.CompletableFuture

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The clusters that can be asked. No call blocks, and the futures never fail: a failure is an answer. */
trait AskedClusters extends AutoCloseable {

  /** Keeps clients for exactly these clusters, and closes the others. An ask by a closed client ends with a failure. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit

  /** What a cluster answers about its topics.
    *
    * @param waitMode how long to wait for a part of it while the rest has answered
    */
  def observing(cluster: ClusterId, topics: Set[String], waitMode: WaitMode): CompletableFuture[ClusterObservation]

  /** The offsets of these points. None where no record is that late, or nothing is committed. */
  def resolving(cluster: ClusterId, questions: Set[Question]): CompletableFuture[Either[Failed, Question.Answers]]
}
