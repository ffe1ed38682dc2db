package io.github.dynamickafka.spark.kafka

import java.util.concurrent.atomic.AtomicLong

import org.apache.kafka.clients.admin.Admin

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Opens the driver's clients.
  *
  * @param prefix of their client ids, which are all different, since Kafka's clients register themselves by them
  */
final class AdminFactory(prefix: String) {

  /** @throws io.github.dynamickafka.spark.errors.DynamicKafkaException if the properties are refused, no address is known,
    *                                                                   or something else than Kafka answers there; a
    *                                                                   property's value is never told
    */
  def open(cluster: ClusterId, connection: ConnectionSettings): Admin = {
    Greeting.check(cluster, connection)
    val properties = ClientProperties.forAdmin(connection, s"$prefix-driver-${AdminFactory.count.incrementAndGet()}")
    ClientOpening.open(cluster, properties)(Admin.create(properties))
  }
}

private object AdminFactory {
  private val count = new AtomicLong
}
