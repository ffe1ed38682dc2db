package io.github.dynamickafka.spark.reconcile.observed

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}

/** Whether the cluster that answers is the one that is held. */
object KnownCluster {

  /** Another Kafka cluster behind a known id says nothing about this one: it counts as unavailable. */
  def answering(held: SourceOffset, seen: Map[ClusterId, ClusterObservation]): Map[ClusterId, ClusterObservation] =
    seen.map { case (id, answer) =>
      (held.clusters.get(id).flatMap(_.kafkaId), answer) match {
        case (Some(known), Answered(Some(kafka), _)) if known != kafka =>
          id -> Failed(Failure(
            Condition.ClusterChanged,
            s"Another Kafka cluster answers for cluster $id: its id was $known and is $kafka. " +
              "If the address is wrong, mend it; a cluster that was rebuilt needs a new cluster id."
          ))
        case _ => id -> answer
      }
    }
}
