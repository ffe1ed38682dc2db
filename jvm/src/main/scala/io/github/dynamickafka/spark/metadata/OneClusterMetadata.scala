package io.github.dynamickafka.spark.metadata

import java.util.{Collection => JCollection, Map => JMap, Set => JSet}
import java.util.concurrent.atomic.AtomicReference
import java.util.regex.Pattern

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.{ClusterMetadata, KafkaMetadataService, KafkaStream}

/** The streams of a query that reads one cluster as Spark's own Kafka source would: each topic is a stream. */
private[metadata] object OneClusterMetadata {

  /** Exactly these topics, whether they exist or not: one that is gone from Kafka counts as deleted, not as removed. */
  def of(cluster: String, topics: Iterable[String]): FixedStreams = new FixedStreams(
    SortedMap.from(topics.map(topic =>
      topic -> new KafkaStream(topic, JMap.of(cluster, new ClusterMetadata(JSet.of(topic), JMap.of())))
    )),
    _ == cluster
  )
}

/** The topics of one cluster whose whole name matches, and those that existed before: a topic that is gone from Kafka
  * counts as deleted, not as removed.
  *
  * @param listed lists the topics that are there now
  * @param known the topics that the query holds when it starts
  */
final private[metadata] class MatchingTopics(
    cluster: String,
    listed: KafkaMetadataService,
    pattern: Pattern,
    known: () => Set[String]
) extends KafkaMetadataService
    with Snapshots {
  private val seen = new AtomicReference(Set.empty[String])

  override def snapshot(): KafkaMetadataService = {
    val now = listed.getAllStreams.asScala.map(_.getStreamId).toSet ++ known()
    OneClusterMetadata.of(cluster, seen.updateAndGet(_ ++ now.filter(pattern.matcher(_).matches)))
  }

  override def getAllStreams: JSet[KafkaStream] = snapshot().getAllStreams

  override def describeStreams(streamIds: JCollection[String]): JMap[String, KafkaStream] =
    snapshot().describeStreams(streamIds)

  override def isClusterActive(clusterId: String): Boolean = clusterId == cluster

  override def close(): Unit = listed.close()
}
