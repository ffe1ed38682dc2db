package io.github.dynamickafka.spark.fakes

import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.{ClusterMetadata, KafkaStream}

/** Streams in one line. */
object Streams {
  def stream(id: String, clusters: (String, ClusterMetadata)*): KafkaStream = new KafkaStream(id, clusters.toMap.asJava)

  /** A cluster at `host:9092`, unless a property sets another address. */
  def cluster(topics: String*)(properties: (String, String)*): ClusterMetadata =
    new ClusterMetadata(topics.toSet.asJava, (Map("bootstrap.servers" -> "host:9092") ++ properties).asJava)
}
