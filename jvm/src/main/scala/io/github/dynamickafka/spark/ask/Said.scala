package io.github.dynamickafka.spark.ask

import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** What one cluster says when a trigger stops waiting.
  *
  * @param answer the newest answer to the current inquiry, from this trigger or an earlier one
  */
final case class Said(seen: ClusterObservation, answer: Option[Answer])
