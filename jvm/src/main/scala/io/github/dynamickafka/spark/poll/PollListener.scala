package io.github.dynamickafka.spark.poll

import io.github.dynamickafka.spark.errors.DynamicKafkaException

/** Is informed of the outcome of fetches. Only `close` may wait, for some seconds. */
trait PollListener extends AutoCloseable {

  /** The query uses this answer. Called at each trigger, on the query's thread. */
  def taken(answer: MetadataAnswer): Unit = ()

  /** A fetch failed. */
  def failed(failure: DynamicKafkaException): Unit = ()

  /** Closes the service, if it belongs to the source. */
  override def close(): Unit
}
