package io.github.dynamickafka.spark.kafka.consumer

import org.apache.kafka.common.{ClusterResource, ClusterResourceListener}
import org.apache.kafka.common.serialization.ByteArrayDeserializer

/** Leaves the bytes of values as they are. Kafka's consumer informs a deserializer, and nobody else, of the cluster that answers
  * it.
  */
final private[kafka] class ValueBytes extends ByteArrayDeserializer with ClusterResourceListener {
  @volatile private var id: Option[String] = None

  /** Kafka's id of the cluster, by the last answer about metadata. */
  def kafkaId: Option[String] = id

  override def onUpdate(cluster: ClusterResource): Unit = id = Option(cluster.clusterId).filter(_.nonEmpty)
}
