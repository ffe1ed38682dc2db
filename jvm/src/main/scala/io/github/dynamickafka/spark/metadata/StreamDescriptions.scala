package io.github.dynamickafka.spark.metadata

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import io.github.dynamickafka.spark.{ClusterMetadata, KafkaStream}
import io.github.dynamickafka.spark.errors.{Condition, Failure, Say, Wording}
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

  def of(stream: KafkaStream): DescribedStream = DescribedStream(
    StreamId(stream.getStreamId),
    stream.getClusters.asScala.map { case (id, cluster) =>
      ClusterId(id) -> described(stream.getStreamId, id, cluster)
    }.to(SortedMap)
  )

  private def described(stream: String, id: String, cluster: ClusterMetadata): DescribedCluster = {
    val own     = cluster.getProperties.asScala
    val written = kafkaProperties ++ own
    DescribedCluster(
      cluster.getTopics.asScala.to(SortedSet),
      own.keySet.to(SortedSet),
      new ConnectionSettings(written),
      placeholders.resolve(written).map(new ConnectionSettings(_)).left.map(unresolved(stream, id, _)),
      cluster.getStartingOffsets.toScala,
      cluster.getEndingOffsets.toScala,
      cluster.getContinues.asScala.map(ClusterId(_)).to(SortedSet),
      pause(cluster)
    )
  }

  // Most placeholders stand for what a login needs.
  private def unresolved(stream: String, id: String, problems: Vector[Placeholders.Problem]): Failure = {
    val each = problems.map { found =>
      val at = place(PropertyPlace(stream, id, found.property))
      say"$found${at.fold(Wording.nothing)(text => say" ($text)")}"
    }
    Failure(
      Condition.AuthenticationFailed,
      say"Cluster ${ClusterId(id)} of stream ${StreamId(stream)} has properties that can't be resolved: " +
        say"${Wording.first(each, "; ")}."
    )
  }

  private def pause(cluster: ClusterMetadata): Pause =
    if (cluster.isPaused) Pause.Whole else Pause.Topics(cluster.getPausedTopics.asScala.to(SortedSet))
}
