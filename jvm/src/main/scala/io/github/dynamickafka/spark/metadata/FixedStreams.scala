package io.github.dynamickafka.spark.metadata

import java.util.{Collection => JCollection, Map => JMap, Set => JSet}

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStream}
import io.github.dynamickafka.spark.errors.Wording

/** A service over streams that do not change.
  *
  * @param version of them; none if the service has no versions
  * @param place where a property is written, such as "line 7 of streams.yaml"; only of properties with placeholders
  */
final private[spark] class FixedStreams(
    streams: SortedMap[String, KafkaStream],
    active: String => Boolean,
    val version: Option[Long] = None,
    val place: PropertyPlace => Option[Wording] = _ => None
) extends KafkaMetadataService {

  override def getAllStreams: JSet[KafkaStream] = streams.values.toSet.asJava

  override def describeStreams(streamIds: JCollection[String]): JMap[String, KafkaStream] =
    streamIds.asScala.flatMap(id => streams.get(id).map(id -> _)).toMap.asJava

  override def isClusterActive(clusterId: String): Boolean = active(clusterId)
}
