package io.github.dynamickafka.spark.topology

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.offsets.ClusterRule

/** The subscribed streams, resolved to topics on clusters, by one answer of the metadata service.
  *
  * @param unknown ids that the options name and that the service does not know
  */
final case class Topology(
    clusters: SortedMap[ClusterId, ListedCluster],
    unknown: SortedSet[StreamId] = SortedSet.empty
) {
  def lists(cluster: ClusterId, topic: String): Boolean = clusters.get(cluster).exists(_.topics.contains(topic))

  /** The connections of the listed clusters, as far as their properties could be resolved. */
  def connections: Map[ClusterId, ConnectionSettings] =
    clusters.iterator.flatMap { case (id, cluster) => cluster.connection.toOption.map(id -> _) }.toMap

  /** Why a listed cluster can't be asked: a placeholder of its properties can't be resolved. */
  def unresolved(cluster: ClusterId): Option[Failure] = clusters.get(cluster).flatMap(_.connection.left.toOption)

  /** Whether a topic is paused, listed or not. */
  def pauses(cluster: ClusterId, topic: String): Boolean = clusters.get(cluster).exists(_.pause.holds(topic))
}

object Topology {
  val empty: Topology = Topology(SortedMap.empty)
}

/** One cluster of a topology.
  *
  * @param topics the topics to read, each with its subscribed stream (of several, the id that sorts first)
  * @param connection its properties, or why they can't be resolved
  * @param startingOffsets the cluster's own starting offsets, if the metadata gives any
  * @param endingOffsets the cluster's own ending offsets, if the metadata gives any
  * @param active whether the service expects the cluster to answer
  * @param continues all earlier ids that the metadata names for it, directly or through other listed clusters. For a
  *                  topic of both, reading continues where they were read to
  * @param pause the paused part of it
  */
final case class ListedCluster(
    topics: SortedMap[String, StreamId],
    connection: Either[Failure, ConnectionSettings],
    startingOffsets: Option[OwnOffsets] = None,
    endingOffsets: Option[OwnOffsets] = None,
    active: Boolean = true,
    continues: SortedSet[ClusterId] = SortedSet.empty,
    pause: Pause = Pause.none
)

/** Starting or ending offsets of one cluster in the metadata: the text, and its meaning. */
final case class OwnOffsets(text: String, rule: ClusterRule)
