package io.github.dynamickafka.spark.kafka.consumer

import org.apache.kafka.clients.consumer.ConsumerConfig

import io.github.dynamickafka.spark.topology.ConnectionSettings

/** How much a consumer fetches at a time, in bytes as Kafka stores them. `FetchWindow` limits memory by these sizes. A
  * broker sends a record batch whole, even if it is larger than these limits. So each size is at least 1 MiB, the largest
  * record batch that a broker allows by default. Larger record batches are not counted.
  *
  * @param partition the most that one response has of one partition
  * @param response the most that one response of a broker has in all
  */
final case class FetchSizes(partition: Long, response: Long) {

  /** The most that one response has of so many partitions. */
  def responseOf(partitions: Int): Long = (partitions * partition).min(response)
}

object FetchSizes {

  def of(connection: ConnectionSettings): FetchSizes = {
    // A value that is not a number is refused when the consumer is opened, with the property's name.
    def bytes(name: String, default: Int): Long =
      connection.properties.get(name).flatMap(_.trim.toLongOption).getOrElse(default.toLong).max(Batch)
    val response = bytes(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, ConsumerConfig.DEFAULT_FETCH_MAX_BYTES)
    FetchSizes(
      bytes(
        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
        ConsumerConfig.DEFAULT_MAX_PARTITION_FETCH_BYTES
      ).min(response),
      response
    )
  }

  // The largest record batch that a broker allows by default.
  private val Batch = 1L << 20
}
