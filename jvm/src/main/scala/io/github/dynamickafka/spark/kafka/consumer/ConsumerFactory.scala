package io.github.dynamickafka.spark.kafka.consumer

import java.util.concurrent.atomic.AtomicLong

import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.common.serialization.ByteArrayDeserializer

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.client.ClientOpening
import io.github.dynamickafka.spark.kafka.properties.ClientProperties
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Consumers with equal keys can replace each other. Consumers of two clusters never can, whatever their addresses and
  * topics, nor can consumers with different credentials.
  */
final case class ConsumerKey(cluster: ClusterId, connection: ConnectionSettings, groupIdPrefix: String)

trait ConsumerFactory {

  /** A new consumer, which the caller closes. No broker is contacted yet.
    *
    * @throws DynamicKafkaException `INVALID_METADATA` for properties that Kafka refuses, `CLUSTER_UNREACHABLE` if no
    *         host of an address can be resolved, `AUTHENTICATION_FAILED` if a login fails before a broker is asked
    */
  def open(key: ConsumerKey): RecordSource
}

/** Opens Kafka's own consumers. */
object KafkaConsumers extends ConsumerFactory {
  private val count = new AtomicLong

  override def open(key: ConsumerKey): RecordSource = {
    val properties = ClientProperties.forConsumer(
      key.connection,
      groupId = s"${key.groupIdPrefix}-${key.cluster}",
      clientId = s"${key.groupIdPrefix}-${count.incrementAndGet()}"
    )
    val values = new ValueBytes
    val opened =
      ClientOpening.open(key.cluster, properties)(new KafkaConsumer(properties, new ByteArrayDeserializer, values))
    new KafkaRecordSource(opened, values, ConsumerMetadata.of(opened))
  }
}
