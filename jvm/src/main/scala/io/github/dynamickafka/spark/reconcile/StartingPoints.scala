package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{
  ClusterRule,
  OffsetPoint,
  OffsetRuleText,
  PendingStart,
  SourceOffset,
  TopicRule
}
import io.github.dynamickafka.spark.topology.ListedCluster

/** Where the partitions of one cluster begin that the query does not hold yet.
  *
  * A cluster at its first contact follows its starting rule. A topic or partition that appears later begins at the
  * earliest record, since it was written after the query began, unless the cluster's own offsets name it. What was listed
  * and could not be seen begins by the rule of that time.
  *
  * @param unread the rules of the topics that could not be seen before
  */
final case class StartingPoints(rule: ClusterRule, unread: Map[String, ClusterRule] = Map.empty) {
  def point(topic: String, partition: Int): OffsetPoint =
    unread.getOrElse(topic, rule).point(topic, partition).getOrElse(OffsetPoint.Earliest)
}

object StartingPoints {
  def apply(id: ClusterId, held: SourceOffset, listed: ListedCluster, policy: ReconcilePolicy): StartingPoints =
    held.clusters.get(id) match {
      case None                                       => StartingPoints(firstContact(id, held, listed, policy))
      case Some(cluster) if cluster.pending.isDefined => StartingPoints(sinceListed(cluster.pending.get))
      case Some(cluster)                              =>
        StartingPoints(named(listed), cluster.unread.map { case (name, start) => name -> sinceListed(start) })
    }

  /** The rule of now for a topic that can't be seen, as the checkpoint keeps it; none where all of it begins at the earliest
    * record.
    */
  def unread(
      id: ClusterId,
      name: String,
      held: SourceOffset,
      listed: ListedCluster,
      policy: ReconcilePolicy,
      now: Instant
  ): Option[PendingStart] = {
    val before = held.clusters.get(id)
    before.flatMap(_.unread.get(name)).orElse {
      val pending = before.flatMap(_.pending)
      val rule    = pending.fold(if (before.isEmpty) firstContact(id, held, listed, policy) else named(listed))(p =>
        HeldRule.of(p.rule)
      )
      val here = ClusterRule(rule.default, rule.topics.filter(_._1 == name))
      Option.when(here.points.exists(_ != OffsetPoint.Earliest)) {
        PendingStart(OffsetRuleText.text(here), pending.fold(now.toEpochMilli)(_.since))
      }
    }
  }

  private def named(listed: ListedCluster): ClusterRule =
    ClusterRule(None, listed.startingOffsets.fold(SortedMap.empty[String, TopicRule])(_.rule.topics))

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
