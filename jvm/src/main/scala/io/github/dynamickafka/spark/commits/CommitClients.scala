package io.github.dynamickafka.spark.commits

import java.util.concurrent.CompletableFuture

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId

/** The clusters to which positions can be committed. No call blocks, and the futures never fail. */
trait CommitClients {

  /** Makes the commits of a run one after another, until `next` returns none. A client that is closed meanwhile waits a
    * little for the run to end.
    *
    * @return completes when the run has ended; none if this cluster has no client now
    */
  def committing(cluster: ClusterId, run: CommitRun): Option[CompletableFuture[Void]]
}

/** The commits to one cluster, one after another. One thread at a time calls it, and no call blocks. */
trait CommitRun {

  /** Kafka's id of the cluster whose positions these are, if it is known. */
  def kafkaId: Option[String]

  /** The next commit. None if there is nothing to commit now. */
  def next(): Option[Map[TopicPartition, Long]]

  /** Called with the outcome of the last commit. */
  def done(outcome: CommitOutcome): Unit
}

sealed trait CommitOutcome extends Product with Serializable

object CommitOutcome {
  case object Committed extends CommitOutcome

  /** @param refused the partitions whose positions were not committed */
  final case class Refused(refused: Set[TopicPartition], why: Failure) extends CommitOutcome

  /** The client was closed before the cluster answered. The run is over. */
  case object Closed extends CommitOutcome
}
