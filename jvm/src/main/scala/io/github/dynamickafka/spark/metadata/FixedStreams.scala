package io.github.dynamickafka.spark.metadata

import java.util.{Collection => JCollection, Map => JMap, Set => JSet}

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStream}
import io.github.dynamickafka.spark.errors.Wording

/** A service over streams that do not change. */
final private[spark] class FixedStreams(
    streams: SortedMap[String, KafkaStream],
    active: String => Boolean,
    override val version: Option[Long] = None,
    places: PropertyPlace => Option[Wording] = _ => None
) extends KafkaMetadataService
    with Versioned
    with Located {

  override def place(property: PropertyPlace): Option[Wording] = places(property)

  override def getAllStreams: JSet[KafkaStream] = streams.values.toSet.asJava

  override def describeStreams(streamIds: JCollection[String]): JMap[String, KafkaStream] =
    streamIds.asScala.flatMap(id => streams.get(id).map(id -> _)).toMap.asJava

  override def isClusterActive(clusterId: String): Boolean = active(clusterId)
}
