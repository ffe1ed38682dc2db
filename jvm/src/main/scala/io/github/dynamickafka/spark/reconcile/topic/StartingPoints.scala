package io.github.dynamickafka.spark.reconcile.topic

import java.time.Instant

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{
  ClusterOffset,
  ClusterRule,
  OffsetPoint,
  OffsetRuleText,
  PartitionOffset,
  PendingStart,
  SourceOffset,
  TopicRule
}
import io.github.dynamickafka.spark.reconcile.{Question, ReconcilePolicy, StepBasis, StepInput}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.succession.Role
import io.github.dynamickafka.spark.topology.ListedCluster

/** Where new partitions of one listed cluster begin: those that the query does not hold yet.
  *
  *   - A cluster at its first contact follows its starting rule.
  *   - A topic or partition that appears later begins at the earliest record, since it was written after the query began,
  *     unless the cluster's own offsets name it.
  *   - A topic that was listed but could not be described, or a partition without an answer, begins by the rule of the
  *     time when it was listed.
  *   - A cluster that continues a known one is known, too. A partition that the earlier one did not have begins at its
  *     earliest record.
  */
final class StartingPoints(id: ClusterId, listed: ListedCluster, basis: StepBasis, policy: ReconcilePolicy) {
  private val own     = basis.held.clusters.get(id)
  private val earlier = listed.continues.toVector.flatMap(basis.held.clusters.get)
  private val known   = own.toVector ++ earlier

  /** The rule of a cluster that was never reached, under none of its ids. */
  private val pending =
    if (known.forall(_.pending.isDefined)) first(earlier)(_.pending).orElse(own.flatMap(_.pending)) else None

  /** The rules of a topic that could not be seen yet, the first one first. What an earlier id did not begin has the rule of that
    * id. Any other partition of its log is new, unless this id's own rule names it.
    */
  private def starts(name: String): Vector[PendingStart] = before(name).toVector ++
    ownStart(name).flatMap(own => if (joined(name)) own.ofNamed(name).map(asMirror(name, _)) else Some(own))

  // Once it has taken over, it has the rules of the earlier id.
  private def asMirror(name: String, own: PendingStart): PendingStart =
    if (basis.takesOver(id, name)) own.withoutOffsets else own

  private def ownStart(name: String): Option[PendingStart] = own.flatMap(_.pendingTopics.get(name))

  private def before(name: String): Option[PendingStart] = {
    val ids = basis.roles.of(id, name) match {
      case Role.Successor(from)                               => basis.held.clusters.get(from).toVector
      case Role.Reader if own.exists(_.topics.contains(name)) => Vector.empty
      case _                                                  => earlier
    }
    first(ids)(_.pendingTopics.get(name))
  }

  // One log was listed since it was first listed under any of its earlier ids.
  private def first(ids: Vector[ClusterOffset])(start: ClusterOffset => Option[PendingStart]): Option[PendingStart] =
    ids.flatMap(start(_)).minByOption(_.since)

  private val pendingTopics: Map[String, Vector[PendingStart]] =
    listed.topics.keysIterator.map(name => name -> starts(name)).filter(_._2.nonEmpty).toMap

  private lazy val clusterRule = pending.map(_.sinceListed)
  private lazy val topicRules  = pendingTopics.transform((_, starts) => starts.map(_.sinceListed))

  def point(topic: String, partition: Int): OffsetPoint = {
    val rules = topicRules.getOrElse(topic, Vector.empty) ++ clusterRule.filterNot(_ => joined(topic)) :+ present(topic)
    rules.flatMap(_.point(topic, partition)).headOption.getOrElse(OffsetPoint.Earliest)
  }

  /** Whether a partition that appears now was added while its topic was read: all that was ever written to it is new. */
  def added(topic: String, partition: Int): Boolean =
    pending.isEmpty && topicRules.get(topic).forall(_.forall(_.point(topic, partition).isEmpty)) &&
      own.exists(_.topics.contains(topic)) && appearing(topic).point(topic, partition).isEmpty

  private def present(topic: String): ClusterRule =
    if (known.isEmpty && !joined(topic)) firstContact else appearing(topic)

  /** The present rule for a cluster that can't be reached yet, as the checkpoint keeps it. */
  def ofCluster(now: Instant): PendingStart = pending.getOrElse {
    val rule = if (known.isEmpty) firstContact else named.copy(default = Some(OffsetPoint.Earliest))
    PendingStart(OffsetRuleText.text(rule), now.toEpochMilli)
  }

  /** The present rule for a topic that can't be described, as the checkpoint keeps it. */
  def ofTopic(name: String, now: Instant): PendingStart =
    pendingTopics.get(name).flatMap(_.headOption).getOrElse(ofTopic(name, pending.filterNot(_ => joined(name)), now))

  /** The same of a topic that another id reads until now: the rule of this id, which may be listed as a log of its own
    * later.
    */
  def ofWaiting(name: String, now: Instant): PendingStart =
    ownStart(name).getOrElse(ofTopic(name, own.fold(Option.when(known.isEmpty)(ofCluster(now)))(_.pending), now))

  private def ofTopic(name: String, cluster: Option[PendingStart], now: Instant): PendingStart = {
    val whole = cluster.fold(present(name))(start => OffsetRuleText.held(start.rule))
    val rule  = whole.copy(
      default = whole.default.orElse(Some(OffsetPoint.Earliest)),
      topics = whole.topics.filter(_._1 == name)
    )
    PendingStart(OffsetRuleText.text(rule), cluster.fold(now.toEpochMilli)(_.since))
  }

  /** The rule of a topic that this id is to read from an earlier one's position. */
  def handedOver(name: String): Option[PendingStart] = if (basis.takesOver(id, name)) before(name) else None

  /** The partitions of a topic that were seen, and have not begun. A later answer may leave them out. */
  def awaited(name: String): Set[Int] = (before(name) ++ ownStart(name)).flatMap(_.partitions(name)).toSet

  /** The rule of [[ofTopic]] for these partitions alone: each is named. Any other partition counts as one that appears
    * later.
    *
    * @param anew whether the topic was created again: all of it is new
    * @param first those that begin with the first record that was ever written
    */
  def ofPartitions(
      name: String,
      some: Iterable[Int],
      now: Instant,
      anew: Boolean = false,
      first: Int => Boolean = _ => false
  ): PendingStart = {
    val known = ofTopic(name, now)
    val start = if (anew) known.fromEarliest else known
    val rules = (start +: pendingTopics.getOrElse(name, Vector.empty).drop(1)).map(one => OffsetRuleText.held(one.rule))
    // One that no rule names has appeared since.
    def point(partition: Int) = if (first(partition)) OffsetPoint.Exact(0)
    else
      (rules :+ appearing(name)).flatMap(_.point(name, partition)).headOption.getOrElse(OffsetPoint.Earliest)
    val own = some.map(partition => partition -> point(partition)).to(SortedMap)
    start.copy(rule = OffsetRuleText.text(ClusterRule(None, SortedMap(name -> TopicRule(None, own)))))
  }

  /** The rule of a topic or partition that appears on a cluster that was contacted before. Of a log that began under an
    * earlier id nothing but its position counts.
    */
  private def appearing(topic: String): ClusterRule =
    if (joined(topic)) ClusterRule(None, SortedMap.empty) else named

  private def joined(topic: String): Boolean = basis.roles.of(id, topic).isInstanceOf[Role.Successor] ||
    own.flatMap(_.topics.get(topic)).exists(_.formers.exists(_._2.nonEmpty))

  private def named: ClusterRule = {
    val named = ClusterRule(None, listed.startingOffsets.fold(SortedMap.empty[String, TopicRule])(_.rule.topics))
    // The offsets of a mirror say where mirroring ended. A partition that was not read before may have
    // records below them, too.
    if (earlier.isEmpty && listed.continues.isEmpty) named
    else named.withoutOffsets
  }

  /** The rule of a cluster that was never contacted: its own, or else that of the query. */
  private lazy val firstContact: ClusterRule = {
    val general = (if (basis.held.initial) policy.starting else policy.newCluster).forCluster(id)
    listed.startingOffsets.fold(general)(_.rule.over(general))
  }
}

object StartingPoints {

  /** The partition that begins at this point, once its offset is known.
    *
    * @param point if no record is that late, the end of the log
    */
  def begun(id: PartitionId, point: OffsetPoint, extent: Extent, input: StepInput): Option[PartitionOffset] =
    Question.offset(id, point, extent, input.answers, late = Some(extent.written)).map { start =>
      // The epoch of the answer says nothing about a start beyond the end.
      val epoch = extent.epoch.filter(_ => start <= extent.written)
      // Until this step the partition of an earlier topic with the same name may be held.
      val before = input.held.get(id).map(_.incarnation + 1)
      PartitionOffset(start, start, (before ++ Some(input.held.nextIncarnation)).max, epoch)
    }

  /** Where a partition of a removed topic begins if the partition was not seen while the topic was listed. */
  def ofRemoved(held: SourceOffset, id: ClusterId, topic: String, partition: Int): OffsetPoint =
    held.clusters.get(id).flatMap(_.pendingTopics.get(topic)).flatMap(_.sinceListed.point(topic, partition))
      .getOrElse(OffsetPoint.Earliest)
}
