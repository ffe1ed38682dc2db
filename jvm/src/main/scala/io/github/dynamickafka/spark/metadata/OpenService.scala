package io.github.dynamickafka.spark.metadata

import java.util.concurrent.locks.ReentrantLock

import io.github.dynamickafka.spark.KafkaMetadataService

/** The metadata service of one source. Its kind says who owns it. */
sealed trait OpenService extends Product with Serializable {
  def service: KafkaMetadataService
}

object OpenService {

  /** Created for this source only, and closed with it. */
  final case class Owned(service: KafkaMetadataService) extends OpenService

  /** The user's own object, which the source never closes. Its lock serialises its calls over all queries that use it. Hold
    * it during each call. It is fair, so that a query that fetches often does not block the others.
    */
  final case class Shared(service: KafkaMetadataService, lock: ReentrantLock) extends OpenService
}
