package io.github.dynamickafka.spark.reconcile.observed

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, SourceOffset}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}

/** Whether the cluster that answers is the one that is held. */
object KnownCluster {

  /** Another Kafka cluster behind a known id says nothing about this one: it counts as unavailable. */
  def answering(id: ClusterId, held: Option[ClusterOffset], seen: ClusterObservation): ClusterObservation =
    (held.flatMap(_.kafkaId), seen) match {
      case (Some(known), Answered(Some(kafka), _)) if known != kafka =>
        Failed(Failure(
          Condition.ClusterChanged,
          s"Another Kafka cluster answers for cluster $id: its id was $known and is $kafka. " +
            "If the address is wrong, mend it; a cluster that was rebuilt needs a new cluster id."
        ))
      case _ => seen
    }

  /** The same of all clusters that were asked. */
  def answering(held: SourceOffset, seen: Map[ClusterId, ClusterObservation]): Map[ClusterId, ClusterObservation] =
    seen.map { case (id, here) => id -> answering(id, held.clusters.get(id), here) }
}
