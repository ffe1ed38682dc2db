package io.github.dynamickafka.spark.kafka.properties

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.consumer.ConsumerConfig

/** The properties that Kafka's own clients know. A user's plug-in may know others. */
private[spark] object KnownProperties {
  lazy val names: Set[String] = (ConsumerConfig.configNames.asScala ++ AdminClientConfig.configNames.asScala).toSet
}
