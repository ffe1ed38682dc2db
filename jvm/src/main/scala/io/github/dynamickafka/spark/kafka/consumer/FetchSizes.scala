package io.github.dynamickafka.spark.kafka.consumer

import org.apache.kafka.clients.consumer.ConsumerConfig

import io.github.dynamickafka.spark.topology.ConnectionSettings

/** How much a consumer with these properties fetches at a time, in bytes as Kafka holds them. The memory bound of reading
  * counts by it (`FetchWindow`). A record batch that is larger than a consumer asks for comes whole; one of up to 1 MiB,
  * which brokers allow at their defaults, is always counted.
  *
  * @param partition the most that one answer holds of one partition
  * @param answer the most that one answer of a broker holds in all
  */
final case class FetchSizes(partition: Long, answer: Long) {

  /** The most that one answer holds of so many partitions. */
  def answerOf(partitions: Int): Long = (partitions * partition).min(answer)
}

object FetchSizes {

  def of(connection: ConnectionSettings): FetchSizes = {
    // Whatever is not a number is refused when the consumer is opened, with the property's name.
    def bytes(name: String, default: Int): Long =
      connection.properties.get(name).flatMap(_.trim.toLongOption).getOrElse(default.toLong).max(Batch)
    val answer = bytes(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, ConsumerConfig.DEFAULT_FETCH_MAX_BYTES)
    FetchSizes(
      bytes(
        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
        ConsumerConfig.DEFAULT_MAX_PARTITION_FETCH_BYTES
      ).min(answer),
      answer
    )
  }

  // A record batch larger than what is asked for comes whole, or reading would not go on.
  private val Batch = 1L << 20
}
