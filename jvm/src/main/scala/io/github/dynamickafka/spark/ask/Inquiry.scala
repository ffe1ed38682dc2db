package io.github.dynamickafka.spark.ask

import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What one cluster is asked.
  *
  * @param topology the number of the topology that needs it. It goes up with each change, so an answer from an earlier
  *                 topology never counts for this one
  * @param through the connection by which it is asked
  * @param topics the topics whose partitions, first and last offsets are asked for
  * @param points given that answer, what else the brokers must resolve to offsets
  * @param patience how long the caller waits: for the cluster, and for a part of it while the rest has answered
  */
final case class Inquiry(
    topology: Long,
    through: ConnectionSettings,
    topics: Set[String],
    points: Answered => Set[Question] = _ => Set.empty,
    patience: Patience = Patience.Whole
) {

  /** Whether an answer to this inquiry answers the other one too. */
  def serves(other: Inquiry): Boolean = topology == other.topology && through == other.through

  /** The same, with more points. */
  def asking(more: Answered => Set[Question]): Inquiry = copy(points = answered => points(answered) ++ more(answered))
}
