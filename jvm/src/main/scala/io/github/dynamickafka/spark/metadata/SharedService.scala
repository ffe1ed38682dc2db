package io.github.dynamickafka.spark.metadata

import java.util.concurrent.locks.ReentrantLock

import io.github.dynamickafka.spark.KafkaMetadataService

/** A user's service object with the lock that serialises its calls over all queries that use it: whoever calls the
  * service holds the lock meanwhile. The lock is fair, so that a query that fetches often starves no other.
  */
final class SharedService private[metadata] (val service: KafkaMetadataService, val lock: ReentrantLock)
