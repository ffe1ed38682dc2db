package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.topology.Topology

/** What joins cluster ids to one log of a topic: the metadata, and what is held of the topic. */
final class Links(name: String, held: SourceOffset, topology: Topology) {
  private val read: Map[ClusterId, TopicOffset] =
    held.clusters.flatMap { case (id, cluster) => cluster.topics.get(name).map(id -> _) }

  /** All ids of which a position is held. */
  def ids: Set[ClusterId] = read.keySet

  /** This id, and those that are directly linked to it. */
  def of(id: ClusterId): Set[ClusterId] = {
    // What this id has read drains on its own if this id lists the topic no more.
    val counts   = topology.lists(id, name) || !read.contains(id)
    val declared = topology.clusters.get(id).filter(_ => counts).fold(Set.empty[ClusterId])(_.continues.toSet)
    declared ++ read.get(id).fold(Set.empty[ClusterId])(recorded(id, _)) + id
  }

  // Of an id that has read nothing, the link counts only if the metadata does not list both apart.
  private def recorded(id: ClusterId, topic: TopicOffset): Set[ClusterId] =
    topic.formers.keySet.toSet ++ topic.beside.filterNot(topology.lists(_, name) && topology.lists(id, name))
}
