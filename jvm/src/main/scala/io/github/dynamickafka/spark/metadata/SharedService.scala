package io.github.dynamickafka.spark.metadata

import java.util.concurrent.locks.ReentrantLock

import io.github.dynamickafka.spark.KafkaMetadataService

/** A user's service object, with a lock that serialises its calls over all queries that use it. Hold the lock during
  * each call. The lock is fair, so that a query that fetches often does not block the others.
  */
final class SharedService private[metadata] (val service: KafkaMetadataService, val lock: ReentrantLock)
