package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, Removal, SourceOffset}
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.reconcile.cluster.StartingPoints
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.succession.{Role, Roles}
import io.github.dynamickafka.spark.reconcile.topic.{Endings, RemovedTopic}
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** What has to be asked of the clusters before a step can be taken. */
final class OffsetQuestions(held: SourceOffset, topology: Topology, policy: ReconcilePolicy) {
  private val roles = Roles.of(held, topology)

  /** The topics whose partitions and extents are asked for, by cluster: those listed, and those that drain. A cluster
    * whose part of the query is over is not asked, so that it needs no client any more.
    */
  def topics: Map[ClusterId, Set[String]] = {
    val listed = topology.clusters.collect {
      case (id, cluster) if !Endings.over(held.clusters.get(id), cluster) => id -> cluster.topics.keySet.toSet
    }
    val draining = held.clusters.map { case (id, cluster) =>
      id -> OffsetQuestions.drainingTopics(
        cluster,
        topology.clusters.get(id),
        policy
      ).filter(roles.successor(id, _).isEmpty)
    }
    (listed.keySet ++ draining.collect { case (id, topics) if topics.nonEmpty => id }).iterator.map { id =>
      id -> (listed.getOrElse(id, Set.empty) ++ draining.getOrElse(id, Set.empty))
    }.toMap
  }

  /** The points of one cluster that its brokers must turn into offsets, given what they answered first. */
  def points(id: ClusterId, answered: Answered): Set[Question] = {
    val listed = topology.clusters.get(id)
    listed.fold(Set.empty[Question])(ofListed(id, _, answered)) ++
      held.clusters.get(id).fold(Set.empty[Question])(ofRemoved(id, _, listed, answered))
  }

  /** The ends that bound the targets of drains that begin. */
  private def ofRemoved(
      id: ClusterId,
      held: ClusterOffset,
      listed: Option[ListedCluster],
      answered: Answered
  ): Set[Question] = (for {
    (name, Present(_, partitions, _)) <- answered.topics.iterator if !listed.exists(_.topics.contains(name))
    if held.topics.get(name).exists(!_.removal.exists(_.isInstanceOf[Removal.Until]))
    question <- Endings.openAtRemoval(id, name, held, partitions.keySet)
  } yield question).toSet

  private def ofListed(id: ClusterId, listed: ListedCluster, answered: Answered): Set[Question] = {
    val starts  = StartingPoints(id, held, listed, policy)
    val before  = held.clusters.get(id)
    val settled = listed.endingOffsets.fold(Map.empty[String, SortedMap[Int, Long]])(Endings.settled(before, _))
    def begins(topic: String) = roles.of(id, topic) match {
      case Role.Successor(_) => StartingPoints(StartingPoints.appearing(listed))
      case _                 => starts
    }
    (for {
      (topic, Present(_, partitions, _)) <- answered.topics.iterator if listed.topics.contains(topic)
      known = before.flatMap(_.topics.get(topic))
      // Where the metadata gives no ends, and of most clusters it does not, all that is held is settled.
      partition <- partitions.keysIterator
      if listed.endingOffsets.isDefined || !known.exists(_.partitions.contains(partition))
      start = Option.when(!known.exists(_.partitions.contains(partition)))(begins(topic).point(topic, partition))
      // The ending point of a partition that has not become an offset yet.
      end = listed.endingOffsets.filterNot(_ => settled.get(topic).exists(_.contains(partition)))
      point <- start.iterator ++ end.flatMap(_.rule.point(topic, partition))
      asked <- point.asked
    } yield Question(PartitionId(id, topic, partition), asked)).toSet
  }
}

object OffsetQuestions {

  /** The clusters that drain wherever the metadata does not list them: whether they are active counts then. */
  def draining(held: SourceOffset, policy: ReconcilePolicy): Set[ClusterId] = held.clusters.collect {
    case (id, cluster) if drainingTopics(cluster, listed = None, policy).nonEmpty => id
  }.toSet

  /** The held topics of a cluster that are no longer listed and still have records to read, as far as is known. */
  def drainingTopics(cluster: ClusterOffset, listed: Option[ListedCluster], policy: ReconcilePolicy): Set[String] =
    cluster.topics.collect {
      case (name, topic) if !listed.exists(_.topics.contains(name)) && (topic.removal match {
            case None | Some(_: Removal.ListedAgain) => policy.removal.policy == RemovedClusterPolicy.Drain
            case Some(removal)                       => RemovedTopic.drains(topic, removal)
          }) => name
    }.toSet
}
