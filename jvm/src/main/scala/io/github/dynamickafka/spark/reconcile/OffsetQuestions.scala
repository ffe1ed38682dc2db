package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, OffsetPoint, SourceOffset}
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.TopicObservation.Present
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** What has to be asked of the clusters before a step can be taken. */
object OffsetQuestions {

  /** The topics whose partitions and extents are asked for, by cluster: those listed, and those that drain. A cluster
    * whose part of the query is over is not asked, so that it needs no client any more.
    */
  def topics(held: SourceOffset, topology: Topology, policy: ReconcilePolicy): Map[ClusterId, Set[String]] = {
    val listed = topology.clusters.collect {
      case (id, cluster) if !Endings.over(held.clusters.get(id), cluster) => id -> cluster.topics.keySet.toSet
    }
    val draining = held.clusters.map { case (id, cluster) =>
      id -> drainingTopics(cluster, topology.clusters.get(id), policy)
    }
    (listed.keySet ++ draining.collect { case (id, topics) if topics.nonEmpty => id }).iterator.map { id =>
      id -> (listed.getOrElse(id, Set.empty) ++ draining.getOrElse(id, Set.empty))
    }.toMap
  }

  /** The held topics of a cluster that are no longer listed and still have records to read, as far as is known. */
  def drainingTopics(cluster: ClusterOffset, listed: Option[ListedCluster], policy: ReconcilePolicy): Set[String] =
    cluster.topics.collect {
      case (name, topic) if !listed.exists(_.topics.contains(name)) && (topic.removal match {
            case None          => policy.removal.policy == RemovedClusterPolicy.Drain
            case Some(removal) => RemovedTopic.drains(topic, removal)
          }) => name
    }.toSet

  /** The points of one cluster that its brokers must turn into offsets, given what they answered first. */
  def points(
      id: ClusterId,
      held: SourceOffset,
      listed: ListedCluster,
      answered: Answered,
      policy: ReconcilePolicy
  ): Set[Question] = {
    val starts = StartingPoints(id, held, listed, policy)
    val before = held.clusters.get(id)
    (for {
      (topic, Present(_, partitions)) <- answered.topics.iterator if listed.topics.contains(topic)
      partition                       <- partitions.keysIterator
      here  = PartitionId(id, topic, partition)
      start = if (held.get(here).isEmpty) Some(starts.point(topic, partition)) else None
      // A topic that was read under another cluster id begins by the cluster's own offsets as a whole.
      named = listed.startingOffsets.filterNot(_ => before.exists(_.topics.contains(topic)))
      end   = openEnd(before, listed, topic, partition)
      point <- start.iterator ++ named.flatMap(_.rule.point(topic, partition)) ++ end
      if point.isInstanceOf[OffsetPoint.Timestamp] || point.isInstanceOf[OffsetPoint.Committed]
    } yield Question(here, point)).toSet
  }

  /** The ending point of a partition that has not become an offset yet. */
  private def openEnd(
      before: Option[ClusterOffset],
      listed: ListedCluster,
      topic: String,
      partition: Int
  ): Option[OffsetPoint] =
    for {
      own   <- listed.endingOffsets
      point <- own.rule.point(topic, partition)
      if !Endings.settled(before, own).get(topic).exists(_.contains(partition))
    } yield point
}
