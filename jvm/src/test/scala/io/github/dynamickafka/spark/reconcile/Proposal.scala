package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.ids.PartitionId

/** What a naive reader says of one trigger.
  *
  * @param readable how far each partition should be readable
  * @param urgent whether a batch should be recorded even if nothing is read
  */
final case class Proposal(reader: NaiveReader, readable: Map[PartitionId, Long], urgent: Boolean)
