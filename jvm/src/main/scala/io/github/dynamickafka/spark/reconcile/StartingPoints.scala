package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{ClusterRule, OffsetPoint, PendingStart, SourceOffset, TopicRule}
import io.github.dynamickafka.spark.topology.ListedCluster

/** Where the partitions of one cluster begin that the query does not hold yet.
  *
  * A cluster at its first contact follows its starting rule. A topic or partition that appears later begins at the
  * earliest record, since it was written after the query began, unless the cluster's own offsets name it.
  */
final case class StartingPoints(rule: ClusterRule) {
  def point(topic: String, partition: Int): OffsetPoint =
    rule.point(topic, partition).getOrElse(OffsetPoint.Earliest)
}

object StartingPoints {
  def apply(id: ClusterId, held: SourceOffset, listed: ListedCluster, policy: ReconcilePolicy): StartingPoints =
    held.clusters.get(id) match {
      case None                                       => StartingPoints(firstContact(id, held, listed, policy))
      case Some(cluster) if cluster.pending.isDefined => StartingPoints(sinceListed(cluster.pending.get))
      case Some(_)                                    =>
        val named = listed.startingOffsets.fold(SortedMap.empty[String, TopicRule])(_.rule.topics)
        StartingPoints(ClusterRule(None, named))
    }

  /** The rule of a cluster that was never contacted: its own, over that of the query. */
  def firstContact(
      id: ClusterId,
      held: SourceOffset,
      listed: ListedCluster,
      policy: ReconcilePolicy
  ): ClusterRule = {
    val general = (if (held.initial) policy.starting else policy.newCluster).forCluster(id)
    listed.startingOffsets.fold(general)(_.rule.over(general))
  }

  /** `latest` of a cluster that could not be reached when it was listed means the time when it was. */
  private def sinceListed(pending: PendingStart): ClusterRule = {
    val rule                                   = HeldRule.of(pending.rule)
    def since(point: OffsetPoint): OffsetPoint = point match {
      case OffsetPoint.Latest                      => OffsetPoint.Timestamp(pending.since)
      case OffsetPoint.Committed(group, otherwise) => OffsetPoint.Committed(group, since(otherwise))
      case other                                   => other
    }
    ClusterRule(
      rule.default.map(since),
      rule.topics.map { case (name, topic) =>
        name -> TopicRule(topic.default.map(since), topic.partitions.map { case (p, point) => p -> since(point) })
      }
    )
  }

  /** The offset of a point, or nothing while the brokers have not told. Where no record is that late: the end. */
  def offset(
      id: PartitionId,
      point: OffsetPoint,
      extent: Extent,
      answers: Map[Question, Option[Long]]
  ): Option[Long] = point match {
    case OffsetPoint.Earliest                => Some(extent.earliest)
    case OffsetPoint.Latest                  => Some(extent.latest)
    case OffsetPoint.Exact(offset)           => Some(offset)
    case OffsetPoint.Timestamp(_)            => answers.get(Question(id, point)).map(_.getOrElse(extent.written))
    case OffsetPoint.Committed(_, otherwise) =>
      answers.get(Question(id, point)).flatMap(_.orElse(offset(id, otherwise, extent, answers)))
  }
}
