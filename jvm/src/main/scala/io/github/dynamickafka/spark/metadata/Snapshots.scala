package io.github.dynamickafka.spark.metadata

import java.util.{Collection => JCollection, Map => JMap, Set => JSet}

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStream}

/** A service that can answer all calls of one fetch from one state, even if it changes meanwhile. */
private[spark] trait Snapshots extends KafkaMetadataService {

  /** A view of the current state. Closing it does nothing. */
  def snapshot(): KafkaMetadataService

  override def getAllStreams: JSet[KafkaStream] = snapshot().getAllStreams

  override def describeStreams(streamIds: JCollection[String]): JMap[String, KafkaStream] =
    snapshot().describeStreams(streamIds)

  override def isClusterActive(clusterId: String): Boolean = snapshot().isClusterActive(clusterId)
}
