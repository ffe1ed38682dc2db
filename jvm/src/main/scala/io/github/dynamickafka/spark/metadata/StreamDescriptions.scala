package io.github.dynamickafka.spark.metadata

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import io.github.dynamickafka.spark.{ClusterMetadata, KafkaStream}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.topology.{ConnectionSettings, DescribedCluster, DescribedStream, Pause}

/** Turns a service's streams into plain values. Each cluster has all properties that its clients will get. */
final private class StreamDescriptions(kafkaProperties: Map[String, String], placeholders: Placeholders) {

  /** Left: every placeholder that can't be resolved. */
  def of(stream: KafkaStream): Either[Vector[String], DescribedStream] = {
    val (problems, clusters) = stream.getClusters.asScala.toVector.partitionMap { case (id, cluster) =>
      described(s"cluster $id of stream ${stream.getStreamId}", cluster).map(ClusterId(id) -> _)
    }
    Either.cond(
      problems.isEmpty,
      DescribedStream(StreamId(stream.getStreamId), SortedMap.from(clusters)),
      problems.flatten
    )
  }

  private def described(where: String, cluster: ClusterMetadata): Either[Vector[String], DescribedCluster] = {
    val own = cluster.getProperties.asScala
    placeholders.resolve(kafkaProperties ++ own).left.map(_.map(problem => s"$where: $problem")).map { properties =>
      DescribedCluster(
        cluster.getTopics.asScala.to(SortedSet),
        own.keySet.to(SortedSet),
        new ConnectionSettings(properties),
        cluster.getStartingOffsets.toScala,
        cluster.getEndingOffsets.toScala,
        cluster.getContinues.asScala.map(ClusterId(_)).to(SortedSet),
        pause(cluster)
      )
    }
  }

  private def pause(cluster: ClusterMetadata): Pause =
    if (cluster.isPaused) Pause.Whole else Pause.Topics(cluster.getPausedTopics.asScala.to(SortedSet))
}
