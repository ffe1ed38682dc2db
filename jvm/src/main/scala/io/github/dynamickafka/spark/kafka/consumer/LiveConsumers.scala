package io.github.dynamickafka.spark.kafka.consumer

import org.apache.kafka.clients.consumer.ConsumerConfig

import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Consumers that wait at their brokers for records that are still to come, as Real-Time Mode reads. */
object LiveConsumers {

  /** The connection of such a consumer. The user's own sizes and times win. Its key differs from that of a consumer
    * that reads planned ranges, so neither is lent in place of the other.
    */
  def connection(of: ConnectionSettings): ConnectionSettings = new ConnectionSettings(Defaults ++ of.properties)

  private val Defaults = Map(
    // A broker answers as soon as a record comes. Without records it is asked twice a second.
    ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG -> "500",
    // The most records of one poll. Meanwhile records of other clusters wait.
    ConsumerConfig.MAX_POLL_RECORDS_CONFIG -> "500",
    // So that a partition that catches up does not fill its broker's responses for long.
    ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG -> "262144"
  )
}
