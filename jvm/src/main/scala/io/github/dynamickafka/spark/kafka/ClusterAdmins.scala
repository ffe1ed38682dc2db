package io.github.dynamickafka.spark.kafka

import java.time.Duration

import org.apache.kafka.clients.admin.Admin

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.{ClusterObservation, Question}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What the driver asks of clusters, each through one admin client that is kept.
  *
  * @param timeout the limit of each question to one cluster
  * @param name of the query, for the threads' names
  */
final class ClusterAdmins(open: (ClusterId, ConnectionSettings) => Admin, timeout: Duration, name: String)
    extends AutoCloseable {

  private val admins = new ClientPerCluster(s"dynamic-kafka-connect-$name")((id, connection, threads) =>
    new ClusterAdmin(id, connection, open, timeout, threads)
  )

  /** Keeps clients for just these clusters. The one caller is the query's own thread. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = admins.keep(connections)

  /** What each cluster says of its topics.
    *
    * @param wait for a part of a cluster that does not answer
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def observe(topics: Map[ClusterId, Set[String]], wait: Wait = Wait.Whole): Map[ClusterId, ClusterObservation] =
    admins.ask(topics)(_.observe(_, wait))

  /** The offsets of these points, by question; a cluster that fails to answer now is told with its failure.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def resolve(
      questions: Map[ClusterId, Set[Question]]
  ): Map[ClusterId, Either[ClusterObservation.Failed, Map[Question, Option[Long]]]] =
    admins.ask(questions)(_.resolve(_))

  override def close(): Unit = admins.close()
}
