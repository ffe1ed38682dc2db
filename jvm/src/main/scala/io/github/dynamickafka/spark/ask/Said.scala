package io.github.dynamickafka.spark.ask

import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** What one cluster says when a trigger stops waiting.
  *
  * @param answer the newest one to what it was asked, be it of this trigger or of an earlier one
  */
final case class Said(seen: ClusterObservation, answer: Option[Answer])
