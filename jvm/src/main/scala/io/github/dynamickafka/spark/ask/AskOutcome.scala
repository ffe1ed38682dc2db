package io.github.dynamickafka.spark.ask

import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** What is known of one cluster when a trigger stops waiting for it.
  *
  * @param answer the newest answer to the current request, from this trigger or an earlier one
  */
final case class AskOutcome(seen: ClusterObservation, answer: Option[ClusterAnswer])
