package io.github.dynamickafka.spark.ask

import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** What one cluster says when a trigger stops waiting.
  *
  * @param answer the newest answer to the current request, from this trigger or an earlier one
  */
final case class AskOutcome(seen: ClusterObservation, answer: Option[ClusterAnswer])
