package io.github.dynamickafka.spark.reconcile.cluster

import java.time.Instant

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{
  ClusterOffset,
  ClusterRule,
  OffsetPoint,
  OffsetRuleText,
  PendingStart,
  SourceOffset,
  TopicRule
}
import io.github.dynamickafka.spark.reconcile.{Question, ReconcilePolicy}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.topology.ListedCluster

/** Where the partitions of one cluster begin that the query does not hold yet.
  *
  * A cluster at its first contact follows its starting rule. A topic or partition that appears later begins at the
  * earliest record, since it was written after the query began, unless the cluster's own offsets name it. What was listed
  * and could not be seen begins by the rule of that time. A cluster that continues another one is that cluster, as far as
  * it matters where something begins.
  *
  * @param unread the rules of the topics that could not be seen before
  */
final case class StartingPoints(rule: ClusterRule, unread: Map[String, ClusterRule] = Map.empty) {
  def point(topic: String, partition: Int): OffsetPoint =
    unread.getOrElse(topic, rule).point(topic, partition).getOrElse(OffsetPoint.Earliest)
}

object StartingPoints {
  def apply(id: ClusterId, held: SourceOffset, listed: ListedCluster, policy: ReconcilePolicy): StartingPoints =
    known(id, held, listed) match {
      case None                                       => StartingPoints(firstContact(id, held, listed, policy))
      case Some(cluster) if cluster.pending.isDefined => StartingPoints(sinceListed(cluster.pending.get))
      case Some(_)                                    =>
        StartingPoints(
          appearing(listed),
          unread(id, held, listed).map { case (name, start) =>
            name -> sinceListed(start)
          }
        )
    }

  /** Of what appears on a cluster that was contacted before. */
  def appearing(listed: ListedCluster): ClusterRule =
    ClusterRule(None, listed.startingOffsets.fold(SortedMap.empty[String, TopicRule])(_.rule.topics))

  /** The rule of now for a cluster that can't be reached yet, as the checkpoint keeps it. */
  def pending(
      id: ClusterId,
      held: SourceOffset,
      listed: ListedCluster,
      policy: ReconcilePolicy,
      now: Instant
  ): PendingStart = {
    def of(rule: ClusterRule) = PendingStart(OffsetRuleText.text(rule), now.toEpochMilli)
    known(id, held, listed).fold(of(firstContact(id, held, listed, policy))) { cluster =>
      cluster.pending.getOrElse(of(appearing(listed).copy(default = Some(OffsetPoint.Earliest))))
    }
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
  ): Option[PendingStart] =
    unread(id, held, listed).get(name).orElse {
      val before  = known(id, held, listed)
      val pending = before.flatMap(_.pending)
      val rule    =
        pending.fold(if (before.isEmpty) firstContact(id, held, listed, policy) else appearing(listed))(p =>
          HeldRule.of(p.rule)
        )
      val here = ClusterRule(rule.default, rule.topics.filter(_._1 == name))
      Option.when(here.points.exists(_ != OffsetPoint.Earliest)) {
        PendingStart(OffsetRuleText.text(here), pending.fold(now.toEpochMilli)(_.since))
      }
    }

  /** What is known of a cluster: by its own id, else by one that it continues. */
  private def known(id: ClusterId, held: SourceOffset, listed: ListedCluster): Option[ClusterOffset] = {
    val own     = held.clusters.get(id)
    val earlier = continued(held, listed)
    (own ++ earlier).find(_.pending.isEmpty).orElse(own).orElse(earlier.headOption)
  }

  private def unread(id: ClusterId, held: SourceOffset, listed: ListedCluster): Map[String, PendingStart] =
    continued(held, listed).flatMap(_.unread).toMap ++
      held.clusters.get(id).fold(SortedMap.empty[String, PendingStart])(_.unread)

  private def continued(held: SourceOffset, listed: ListedCluster): Vector[ClusterOffset] =
    listed.continues.toVector.flatMap(held.clusters.get)

  /** The rule of a cluster that was never contacted: its own, over that of the query. */
  private def firstContact(
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

  /** The offset of a point, or nothing while the brokers have not answered. Where no record is that late: the end. */
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
