package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.atomic.AtomicLong

import org.apache.kafka.clients.admin.Admin

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Opens the driver's clients.
  *
  * @param prefix of their client ids, which are all different, since Kafka's clients register themselves by them
  * @param limit of each question as a whole
  */
final class AdminFactory(prefix: String, limit: Duration) {

  /** @throws io.github.dynamickafka.spark.errors.DynamicKafkaException if the properties are refused, no address is known,
    *                                                                   a login fails, or something else than Kafka answers
    *                                                                   there; a property's value is never told
    */
  def open(cluster: ClusterId, connection: ConnectionSettings): Admin = {
    Greeting.check(cluster, connection, limit)
    val clientId   = s"$prefix-driver-${AdminFactory.count.incrementAndGet()}"
    val properties = ClientProperties.forAdmin(connection, clientId, limit)
    ClientOpening.open(cluster, properties)(Admin.create(properties))
  }
}

private object AdminFactory {
  private val count = new AtomicLong
}
