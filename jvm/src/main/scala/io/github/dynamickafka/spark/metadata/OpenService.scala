package io.github.dynamickafka.spark.metadata

import io.github.dynamickafka.spark.KafkaMetadataService

/** The metadata service of one source, and who owns it. */
sealed trait OpenService extends Product with Serializable {
  def service: KafkaMetadataService
}

object OpenService {

  /** Made for this source alone, and closed with it. */
  final case class Owned(service: KafkaMetadataService) extends OpenService

  /** The user's own object: asked under its lock, and never closed by the source. */
  final case class Shared(shared: SharedService) extends OpenService {
    override def service: KafkaMetadataService = shared.service
  }
}
