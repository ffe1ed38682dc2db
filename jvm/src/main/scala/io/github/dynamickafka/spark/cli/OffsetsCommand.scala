package io.github.dynamickafka.spark.cli

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.metadata.yaml.StreamsFile
import io.github.dynamickafka.spark.offsets.{ClusterOffset, Continuation, OffsetRuleText, SourceOffset}

/** `offsets CHECKPOINT`: what a new query needs from the checkpoint of an old one. */
private[cli] object OffsetsCommand {

  /** What a source has reached, as a new query needs it. */
  def json(source: Request): JsonNode = {
    val held = source.reached.getOrElse(SourceOffset.initial)
    val next = Continuation.of(held)
    // What they continue is known: the starting offsets say where.
    val others = held.topics.flatMap { case (_, _, topic) =>
      topic.formers.keysIterator ++ topic.beside ++ topic.behind.keysIterator
    }.toSet
    Json.obj(
      "starting" -> named(next.starting)(OffsetRuleText.byTopic),
      "listed"   -> named(held.clusters)(positions),
      "notBegun" -> held.clusters.collect {
        case (id, cluster) if cluster.topics.isEmpty && cluster.removed.isEmpty && !others(id) => id.value
      }.toVector,
      "topicsNotBegun" -> held.clusters.toVector.flatMap { case (id, cluster) =>
        (cluster.pendingTopics.keySet -- cluster.topics.keySet).toVector
          .map(name => Json.obj("cluster" -> id.value, "topic" -> name))
      },
      "undrained" -> next.undrained.map { case (topic, left) =>
        Json.obj("cluster" -> topic.cluster.value, "topic" -> topic.name, "offsets" -> left)
      }
    )
  }

  private def named[A](clusters: Iterable[(ClusterId, A)])(value: A => JsonNode): JsonNode =
    Json.obj(clusters.toVector.map { case (id, one) => id.value -> value(one) }: _*)

  /** The positions of the topics that were not removed. */
  private def positions(cluster: ClusterOffset): JsonNode =
    Json.obj(cluster.topics.toVector.collect {
      case (name, topic) if topic.removal.isEmpty =>
        name -> Json.obj(topic.partitions.toVector.map { case (number, at) => number.toString -> at.next }: _*)
    }: _*)

  /** By stream and cluster, the topics of a file of streams. */
  def streams(file: StreamsFile): JsonNode = Json.obj(file.streams.toVector.map { case (id, stream) =>
    id -> Json.obj(stream.getClusters.asScala.toVector.map { case (cluster, own) =>
      cluster -> own.getTopics.asScala.toVector.sorted
    }: _*)
  }: _*)
}
