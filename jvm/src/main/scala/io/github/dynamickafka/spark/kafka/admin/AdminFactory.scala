package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.concurrent.atomic.AtomicLong

import org.apache.kafka.clients.admin.Admin

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.client.ClientOpening
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, KafkaConsumers, RecordSource}
import io.github.dynamickafka.spark.kafka.properties.{BootstrapCheck, ClientProperties}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Opens the driver's admin clients.
  *
  * @param prefix of their client ids. No two are equal, because Kafka's clients register themselves by these ids
  * @param limit of each question as a whole
  */
final class AdminFactory(prefix: String, limit: Duration) {

  /** @throws io.github.dynamickafka.spark.errors.DynamicKafkaException as [[ClientOpening]] does, and
    *         `CLUSTER_UNREACHABLE` if what answers there is not Kafka
    */
  def open(cluster: ClusterId, connection: ConnectionSettings): Admin = {
    BootstrapCheck.check(cluster, connection, limit)
    val clientId   = s"$prefix-driver-${AdminFactory.count.incrementAndGet()}"
    val properties = ClientProperties.forAdmin(connection, clientId, limit)
    ClientOpening.open(cluster, properties)(Admin.create(properties))
  }

  /** A consumer of the driver, for what no admin client can ask. Fails as [[open]] does. */
  def consumer(cluster: ClusterId, connection: ConnectionSettings): RecordSource =
    KafkaConsumers.open(ConsumerKey(cluster, connection, prefix))
}

private object AdminFactory {
  private val count = new AtomicLong
}
