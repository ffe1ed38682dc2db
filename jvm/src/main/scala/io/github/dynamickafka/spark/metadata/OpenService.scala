package io.github.dynamickafka.spark.metadata

import io.github.dynamickafka.spark.KafkaMetadataService

/** The metadata service of one source. Its kind says who owns it. */
sealed trait OpenService extends Product with Serializable {
  def service: KafkaMetadataService
}

object OpenService {

  /** Created for this source only, and closed with it. */
  final case class Owned(service: KafkaMetadataService) extends OpenService

  /** The user's own object: called under its lock, and never closed by the source. */
  final case class Shared(shared: SharedService) extends OpenService {
    override def service: KafkaMetadataService = shared.service
  }
}
