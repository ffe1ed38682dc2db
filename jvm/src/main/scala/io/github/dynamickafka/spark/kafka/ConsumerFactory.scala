package io.github.dynamickafka.spark.kafka

import java.util.concurrent.atomic.AtomicLong

import org.apache.kafka.clients.consumer.KafkaConsumer

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Which consumers are alike. Two clusters never are, whatever their addresses and topics, nor are two sets of
  * credentials.
  */
final case class ConsumerKey(cluster: ClusterId, connection: ConnectionSettings, groupIdPrefix: String)

trait ConsumerFactory {

  /** A new consumer, which the caller closes. No broker is contacted yet.
    *
    * @throws DynamicKafkaException `INVALID_METADATA` for properties that Kafka does not take, `CLUSTER_UNREACHABLE`
    *         if no address of theirs has a known host, `AUTHENTICATION_FAILED` if a login fails before a broker is asked
    */
  def open(key: ConsumerKey): RecordSource
}

/** Opens Kafka's own consumers. */
object KafkaConsumers extends ConsumerFactory {
  private val opened = new AtomicLong

  override def open(key: ConsumerKey): RecordSource = {
    val properties = ClientProperties.forConsumer(
      key.connection,
      groupId = s"${key.groupIdPrefix}-${key.cluster}",
      clientId = s"${key.groupIdPrefix}-${opened.incrementAndGet()}"
    )
    new KafkaRecordSource(ClientOpening.open(key.cluster, properties)(new KafkaConsumer(properties)))
  }
}
