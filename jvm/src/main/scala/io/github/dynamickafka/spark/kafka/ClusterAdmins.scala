package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.CompletableFuture

import org.apache.kafka.clients.admin.Admin

import io.github.dynamickafka.spark.ask.{AskedClusters, Patience}
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.{ClusterObservation, Question}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What the driver asks of clusters, each through one admin client that is kept.
  *
  * @param timeout the limit of each question to one cluster
  * @param name of the query, for the threads' names
  */
final class ClusterAdmins(open: (ClusterId, ConnectionSettings) => Admin, timeout: Duration, name: String)
    extends AskedClusters {

  private val admins =
    new ClientPerCluster(s"dynamic-kafka-connect-$name", ClusterAdmins.Opening)((id, connection, threads) =>
      new ClusterAdmin(id, connection, open, timeout, threads)
    )

  /** Keeps clients for just these clusters. One thread calls it at a time. */
  override def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = admins.keep(connections)

  override def observing(
      cluster: ClusterId,
      topics: Set[String],
      patience: Patience
  ): CompletableFuture[ClusterObservation] =
    admins.askOne[ClusterObservation](cluster)(_.observe(topics, patience), ClusterAdmins.closed(cluster))

  override def resolving(
      cluster: ClusterId,
      questions: Set[Question]
  ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] =
    admins.askOne[Either[Failed, Map[Question, Option[Long]]]](cluster)(
      _.resolve(questions),
      Left(ClusterAdmins.closed(cluster))
    )

  /** The offsets of these points, by question, of clusters that answer in time; a cluster that fails to answer now is told with its failure.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def resolve(
      questions: Map[ClusterId, Set[Question]],
      within: ClusterId => Option[Duration]
  ): Map[ClusterId, Either[ClusterObservation.Failed, Map[Question, Option[Long]]]] =
    admins.ask[Set[Question], Either[Failed, Map[Question, Option[Long]]]](
      questions,
      within,
      id => Left(ClusterAdmins.late(id))
    )(_.resolve(_))

  override def close(): Unit = admins.close()
}

private object ClusterAdmins {

  // Clients that are opened at a time. Looking up a host, or asking for a token, may take seconds where it hangs.
  val Opening = 64

  def late(cluster: ClusterId): Failed =
    Failed(Failure(Condition.ClusterUnreachable, s"Cluster $cluster takes too long to answer."))

  def closed(cluster: ClusterId): Failed =
    Failed(Failure(Condition.ClusterUnreachable, s"The client of cluster $cluster was closed."))
}
