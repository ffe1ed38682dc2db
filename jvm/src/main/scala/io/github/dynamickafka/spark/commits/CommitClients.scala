package io.github.dynamickafka.spark.commits

import java.util.concurrent.CompletableFuture

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId

/** The clusters to which positions can be committed. No call blocks, and the futures never fail. */
trait CommitClients {

  /** Commits what the run gives, one commit after another, until it gives nothing. A client that is closed meanwhile
    * gives the run a little time to end.
    *
    * @return when the run has ended; none if there is no client of this cluster now
    */
  def committing(cluster: ClusterId, run: CommitRun): Option[CompletableFuture[Void]]
}

/** The commits of one cluster, one after another. Called by one thread at a time, and it does not block. */
trait CommitRun {

  /** Kafka's id of the cluster whose positions these are, if it is known. */
  def kafkaId: Option[String]

  /** The next commit. None if there is nothing to commit now. */
  def next(): Option[Map[TopicPartition, Long]]

  /** What became of it. */
  def done(outcome: CommitOutcome): Unit
}

sealed trait CommitOutcome extends Product with Serializable

object CommitOutcome {
  case object Taken extends CommitOutcome

  /** @param refused the partitions that were not taken */
  final case class Refused(refused: Set[TopicPartition], why: Failure) extends CommitOutcome

  /** The client was closed before the cluster answered. The run is over. */
  case object Closed extends CommitOutcome
}
