package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.concurrent.{CompletableFuture, Executor}

import org.apache.kafka.clients.admin.Admin

import io.github.dynamickafka.spark.ask.{AskedClusters, WaitMode}
import io.github.dynamickafka.spark.commits.{CommitClients, CommitRun}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.client.ClientPerCluster
import io.github.dynamickafka.spark.kafka.consumer.{LogProofs, RecordSource}
import io.github.dynamickafka.spark.kafka.properties.BootstrapList
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Asks clusters for their topics and offsets, and commits positions there, through one admin client for each.
  *
  * @param consumer opens a consumer for what no admin client can ask
  * @param timeout the limit of each question to one cluster
  * @param name of the query, for the threads' names
  * @param chosen which partitions of a topic the query reads; none: all
  */
final class ClusterAdmins(
    open: (ClusterId, ConnectionSettings) => Admin,
    consumer: (ClusterId, ConnectionSettings) => RecordSource,
    timeout: Duration,
    name: String,
    chosen: String => Option[Set[Int]] = _ => None
) extends ClientPerCluster[ClusterAdmin](s"dynamic-kafka-connect-$name")
    with AskedClusters
    with CommitClients {

  override protected def make(cluster: ClusterId, connection: ConnectionSettings, threads: Executor): ClusterAdmin =
    new ClusterAdmin(
      cluster,
      connection,
      open,
      new LogProofs(number => consumer(cluster, BootstrapList.inTurn(connection, number)), timeout, threads),
      timeout,
      threads,
      chosen
    )

  override def observing(
      cluster: ClusterId,
      topics: Set[String],
      waitMode: WaitMode
  ): CompletableFuture[ClusterObservation] =
    client(cluster).fold[CompletableFuture[ClusterObservation]](
      CompletableFuture.completedFuture(_),
      _.observe(topics, waitMode)
    )

  override def resolving(
      cluster: ClusterId,
      questions: Set[Question]
  ): CompletableFuture[Either[Failed, Question.Answers]] =
    asking(cluster, _.resolve(questions))

  override def committing(cluster: ClusterId, run: CommitRun): Option[CompletableFuture[Void]] =
    client(cluster).toOption.map(_.commit(run))
}
