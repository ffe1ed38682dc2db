package io.github.dynamickafka.spark.ask

import java.util.concurrent.CompletableFuture

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The same clusters, of which only some partitions are seen: those that a query has chosen.
  *
  * @param chosen which partitions of a topic; none: all
  */
final private[spark] class AssignedPartitions(clusters: AskedClusters, chosen: String => Option[Set[Int]])
    extends AskedClusters {

  override def observing(
      cluster: ClusterId,
      topics: Set[String],
      waitMode: WaitMode
  ): CompletableFuture[ClusterObservation] = clusters.observing(cluster, topics, waitMode).thenApply {
    case answer: Answered => answer.copy(topics = answer.topics.map { case (name, topic) => name -> seen(name, topic) })
    case other            => other
  }

  private def seen(name: String, topic: TopicObservation): TopicObservation = topic match {
    case present: TopicObservation.Present => chosen(name).fold(present)(present.only)
    case other                             => other
  }

  override def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = clusters.keep(connections)

  override def resolving(
      cluster: ClusterId,
      questions: Set[Question]
  ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] = clusters.resolving(cluster, questions)

  override def close(): Unit = clusters.close()
}
