package io.github.dynamickafka.spark.ask

import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What one cluster is asked.
  *
  * @param topology the number of the topology that calls for it: it goes up with each change, so that what was asked under
  *                 an earlier one is never taken for an answer to this
  * @param through the connection by which it is asked
  * @param topics those whose partitions and extents are asked for
  * @param points what else the brokers must turn into offsets, given what they answered
  * @param patience of whoever asks: with the cluster, and with a part of it while the rest has answered
  */
final case class Inquiry(
    topology: Long,
    through: ConnectionSettings,
    topics: Set[String],
    points: Answered => Set[Question] = _ => Set.empty,
    patience: Patience = Patience.Whole
) {

  /** Whether an answer to this one says what the other one wants to know. */
  def serves(other: Inquiry): Boolean = topology == other.topology && through == other.through
}
