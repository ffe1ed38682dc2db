package io.github.dynamickafka.spark

import java.util.{Map => JMap}

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Named, Say}
import io.github.dynamickafka.spark.kafka.admin.TopicLister
import io.github.dynamickafka.spark.metadata.{FixedStreams, Placeholders, Snapshots}

/** One Kafka cluster. Each of its topics is a stream with the same name. Kafka's internal topics are left out. The
  * cluster is always active.
  *
  * Placeholders in the properties are resolved at each call, and also by each fetch for the clients of the source.
  */
final class SingleClusterMetadataService private (
    clusterId: String,
    own: Map[String, String],
    connection: () => Map[String, String]
) extends KafkaMetadataService
    with Snapshots {
  private val lister = new TopicLister(clusterId)

  /** @param clusterId the id of the cluster
    * @param properties Kafka's client properties, including `bootstrap.servers`
    */
  def this(clusterId: String, properties: JMap[String, String]) = this(
    clusterId,
    properties.asScala.toMap,
    SingleClusterMetadataService.connection(clusterId, properties.asScala.toMap, Placeholders.ofDriver)
  )

  /** From options: `clusterId`; every other key is a property of Kafka's clients. */
  def this(config: JMap[String, String]) = this(
    SingleClusterMetadataService.clusterId(config),
    (config.asScala.toMap - SingleClusterMetadataService.ClusterId).asJava
  )

  /** The current streams, for one fetch. Waits for the cluster. Closing this service ends the wait. */
  override def snapshot(): KafkaMetadataService = new FixedStreams(streams(), _ == clusterId)

  override def isClusterActive(id: String): Boolean = id == clusterId

  override def close(): Unit = lister.close()

  private def streams(): SortedMap[String, KafkaStream] =
    SortedMap.from(lister.topics(connection()).iterator.map(topic => topic -> stream(topic)))

  private def stream(topic: String): KafkaStream =
    new KafkaStream(topic, JMap.of(clusterId, new ClusterMetadata(SortedSet(topic).asJava, own.asJava)))
}

object SingleClusterMetadataService {
  private[spark] val ClusterId = "clusterId"

  /** With the query's `kafka.*` options. The cluster's own properties win. */
  private[spark] def open(
      clusterId: String,
      own: Map[String, String],
      kafkaProperties: Map[String, String],
      placeholders: Placeholders
  ): SingleClusterMetadataService =
    new SingleClusterMetadataService(clusterId, own, connection(clusterId, kafkaProperties ++ own, placeholders))

  // The fetch, which resolves the same properties, warns of a placeholder that keeps its last value.
  private def connection(clusterId: String, properties: Map[String, String], placeholders: Placeholders) = {
    val remembered = placeholders.remembering(_ => ())
    () =>
      remembered.readingOnce.resolve(properties) match {
        case Right(resolved) => resolved
        case Left(problems)  =>
          throw DynamicKafkaException(
            Condition.InvalidMetadata,
            say"Cluster ${Named.cluster(clusterId)}: ${problems.mkString("; ")}."
          )
      }
  }

  private def clusterId(config: JMap[String, String]): String = Option(config.get(ClusterId)).getOrElse(
    throw DynamicKafkaException(Condition.InvalidOption, s"The metadata service `single-cluster` needs a $ClusterId.")
  )
}
