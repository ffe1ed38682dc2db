package io.github.dynamickafka.spark.metadata

import io.github.dynamickafka.spark.KafkaMetadataService

/** A service that can answer all questions of one fetch from one state, however often it changes meanwhile. */
private[spark] trait Snapshots {

  /** A view of the state of now. Closing it does nothing. */
  def snapshot(): KafkaMetadataService
}
