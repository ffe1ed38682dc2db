package io.github.dynamickafka.spark.metadata

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import io.github.dynamickafka.spark.{ClusterMetadata, KafkaStream}
import io.github.dynamickafka.spark.errors.{Say, Wording}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.topology.{ConnectionSettings, DescribedCluster, DescribedStream, Pause}

/** Turns a service's streams into plain values. Each cluster has all properties that its clients will get.
  *
  * @param place where the metadata has a property, if that is known
  */
final private class StreamDescriptions(
    kafkaProperties: Map[String, String],
    placeholders: Placeholders,
    place: PropertyPlace => Option[Wording] = _ => None
) {

  /** Left: every placeholder that can't be resolved. */
  def of(stream: KafkaStream): Either[Vector[Wording], DescribedStream] = {
    val (problems, clusters) = stream.getClusters.asScala.toVector.partitionMap { case (id, cluster) =>
      described(stream.getStreamId, id, cluster).map(ClusterId(id) -> _)
    }
    Either.cond(
      problems.isEmpty,
      DescribedStream(StreamId(stream.getStreamId), SortedMap.from(clusters)),
      problems.flatten
    )
  }

  private def described(
      stream: String,
      id: String,
      cluster: ClusterMetadata
  ): Either[Vector[Wording], DescribedCluster] = {
    val own                                  = cluster.getProperties.asScala
    def problem(found: Placeholders.Problem) = {
      val at = place(PropertyPlace(stream, id, found.property))
      say"cluster ${ClusterId(id)} of stream ${StreamId(stream)}: $found" + at.fold(Wording.nothing)(text =>
        say" ($text)"
      )
    }
    placeholders.resolve(kafkaProperties ++ own).left.map(_.map(problem)).map { properties =>
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
