package io.github.dynamickafka.spark.metadata

import io.github.dynamickafka.spark.KafkaMetadataService

/** A service that can answer all questions of one fetch from one state, even if it changes meanwhile. */
private[spark] trait Snapshots {

  /** A view of the present state. Closing it does nothing. */
  def snapshot(): KafkaMetadataService
}
