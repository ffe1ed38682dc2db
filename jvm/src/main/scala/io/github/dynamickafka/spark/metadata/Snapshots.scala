package io.github.dynamickafka.spark.metadata

import io.github.dynamickafka.spark.KafkaMetadataService

/** A service that can answer all calls of one fetch from one state, even if it changes meanwhile. */
private[spark] trait Snapshots {

  /** A view of the current state. Closing it does nothing. */
  def snapshot(): KafkaMetadataService
}
