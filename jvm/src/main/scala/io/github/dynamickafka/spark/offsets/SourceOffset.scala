package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap, StreamId}

/** All that the checkpoint holds: every position of every cluster, listed or kept.
  *
  * Any two offsets of one query determine what lies between them, see [[PartitionOffset]].
  *
  * @param nextIncarnation the incarnation of what begins from now on. It rises above those of all that was dropped, so that
  *                        what returns after its retention is never mistaken for what it was before
  * @param initial true of the offset before the first batch alone: it knows no topology, not even an empty one
  */
final case class SourceOffset(
    clusters: SortedMap[ClusterId, ClusterOffset],
    nextIncarnation: Int = 0,
    initial: Boolean = false
) {
  def get(id: PartitionId): Option[PartitionOffset] =
    for {
      topic     <- topic(id.cluster, id.topic)
      partition <- topic.partitions.get(id.partition)
    } yield partition

  def topic(cluster: ClusterId, name: String): Option[TopicOffset] = clusters.get(cluster).flatMap(_.topics.get(name))

  /** How far a partition of a removed topic is to be read, if that is known. */
  def drainTarget(id: PartitionId): Option[Long] =
    topic(id.cluster, id.topic).flatMap(_.removal).map(_.drain(id.partition)).collect { case Drain.Until(end) => end }

  /** All ids under which this Kafka cluster is held; none if its own id is not known. */
  def sameKafka(kafkaId: Option[String]): Set[ClusterId] =
    clusters.collect { case (id, cluster) if kafkaId.isDefined && cluster.kafkaId == kafkaId => id }.toSet

  /** What was found of a mirror of this partition. */
  def lag(mirror: ClusterId, id: PartitionId): Option[MirrorLag] =
    topic(id.cluster, id.topic).flatMap(_.behind.get(mirror)).flatMap(_.get(id.partition))

  /** Whether this finding adds nothing to what it has. */
  def hasLag(mirror: ClusterId, id: PartitionId, found: MirrorLag): Boolean =
    lag(mirror, id).exists(known => known.and(found) == known)

  /** The same with what was found of a mirror of a partition that it has. */
  private[offsets] def withLag(mirror: ClusterId, id: PartitionId, found: MirrorLag): SourceOffset = {
    val cluster = clusters(id.cluster)
    val topic   = cluster.topics(id.topic)
    val next    = topic.partitions(id.partition).next
    val known   = topic.behind.getOrElse(mirror, SortedMap.empty[Int, MirrorLag])
    val all     = known.updatedWith(id.partition)(was => Some(was.filter(_.isAt(next)).fold(found)(_.and(found))))
    val now     = topic.copy(behind = topic.behind.updated(mirror, all))
    copy(clusters = clusters.updated(id.cluster, cluster.copy(topics = cluster.topics.updated(id.topic, now))))
  }

  /** Whether the log of a topic is known to have reached a position. A position that has just begun may lie beyond the
    * log's end, if the starting offsets say so. One whose incarnation is above `nextIncarnation` follows an earlier one
    * in the same log.
    */
  def reached(topic: TopicOffset, partition: Int, position: PartitionOffset): Boolean =
    position.wasRead || topic.formers.exists(_._2.contains(partition)) || position.incarnation > nextIncarnation

  def topics: Iterator[(ClusterId, String, TopicOffset)] =
    for {
      (id, cluster) <- clusters.iterator
      (name, topic) <- cluster.topics.iterator
    } yield (id, name, topic)

  def partitions: Iterator[(PartitionId, PartitionOffset)] =
    for {
      (id, name, topic)     <- topics
      (partition, position) <- topic.partitions.iterator
    } yield PartitionId(id, name, partition) -> position

  /** The same without a topic, which may return as another one. */
  def without(id: ClusterId, name: String): SourceOffset = {
    val dropped = topic(id, name).toVector.flatMap(_.partitions.valuesIterator.map(_.incarnation + 1))
    copy(
      clusters = clusters.updatedWith(id)(_.map(cluster => cluster.copy(topics = cluster.topics - name))),
      nextIncarnation = (nextIncarnation +: dropped).max
    )
  }

  /** The same without a topic, and without the rule by which parts of it were to begin. */
  def forgetting(id: ClusterId, name: String): SourceOffset = {
    val rest = without(id, name)
    rest.copy(clusters =
      rest.clusters.updatedWith(id)(_.map(own => own.copy(pendingTopics = own.pendingTopics - name)))
    )
  }

  /** The same, with these positions moved on to these offsets; nothing else changes.
    *
    * @param epochs the leader epochs of the answers that set these offsets, as far as they are known
    */
  def moved(
      next: collection.Map[PartitionId, Long],
      epochs: PartitionMap[Int] = PartitionMap.empty
  ): SourceOffset =
    copy(clusters = PartitionMap.from(next).clusters.foldLeft(clusters) { case (all, (id, topics)) =>
      all.updated(id, all(id).moved(topics, epochs.topic(id, _)))
    })
}

object SourceOffset {

  /** Before the first batch: the first topology is still to come, and gets the starting offsets of the query. */
  val initial: SourceOffset = SourceOffset(SortedMap.empty, initial = true)
}

/** What is held of one cluster.
  *
  * @param kafkaId the id that its brokers give of it, once known
  * @param pending where it will start, while it has never been reached
  * @param endings the text of the ending offsets that the topics' `ends` were resolved from
  * @param removed since when the metadata does not list it, in milliseconds since the epoch; set while no topic of it is
  *                held, since topics have that time themselves
  * @param pendingTopics where listed topics will start that could not be seen yet
  */
final case class ClusterOffset(
    kafkaId: Option[String],
    topics: SortedMap[String, TopicOffset],
    pending: Option[PendingStart] = None,
    endings: Option[String] = None,
    removed: Option[Long] = None,
    pendingTopics: SortedMap[String, PendingStart] = SortedMap.empty
) {

  /** Whether its positions were taken over from Spark's own source, and Kafka's id is not known yet. */
  def adopted: Boolean = kafkaId.isEmpty && topics.nonEmpty

  /** Whether all that is known of a topic has been read to its own end. */
  def finished(name: String): Boolean = topics.get(name).exists(_.finished) && !pendingTopics.contains(name)

  /** The same, with positions moved on; those of a topic that is not named are shared. */
  private[offsets] def moved(
      next: SortedMap[String, SortedMap[Int, Long]],
      epochs: String => SortedMap[Int, Int]
  ): ClusterOffset = copy(topics = next.foldLeft(topics) { case (all, (name, ends)) =>
    all.updated(name, all(name).moved(ends, epochs(name)))
  })
}

/** Where a listed cluster starts that was never reached yet, or a topic that could not be seen.
  *
  * @param rule the text of its starting rule
  * @param since when it was first listed, in milliseconds since the epoch: what `latest` will mean
  * @param removed since when the metadata does not list the topic any more: its retention counts from here
  */
final case class PendingStart(rule: String, since: Long, removed: Option[Long] = None) {

  /** The partitions of this topic that it was made for; none if it is of the whole topic. They were seen, and have not begun. */
  def partitions(topic: String): Set[Int] = Some(OffsetRuleText.held(rule)).filter(_.default.isEmpty)
    .flatMap(_.topics.get(topic)).filter(_.default.isEmpty).fold(Set.empty[Int])(_.partitions.keySet)

  /** The same for the partitions of this topic that it names; none if it names none. */
  def ofNamed(topic: String): Option[PendingStart] =
    OffsetRuleText.held(rule).topics.get(topic).map(_.copy(default = None)).filter(_.partitions.nonEmpty)
      .map(named => copy(rule = OffsetRuleText.text(ClusterRule(None, SortedMap(topic -> named)))))

  /** The same where offsets are those at which mirroring ended: reading begins at the earliest record. */
  def withoutOffsets: PendingStart = copy(rule = OffsetRuleText.text(OffsetRuleText.held(rule).withoutOffsets))

  /** The same of a topic that was created again: all of it is new. */
  def fromEarliest: PendingStart =
    copy(rule = OffsetRuleText.text(ClusterRule(Some(OffsetPoint.Earliest), SortedMap.empty)))

  /** The rule that applies now: the time of the listing replaces `latest`, which could not be asked for then. */
  def sinceListed: ClusterRule = {
    def since(point: OffsetPoint): OffsetPoint = point match {
      case OffsetPoint.Latest                      => OffsetPoint.Timestamp(this.since)
      case OffsetPoint.Committed(group, otherwise) => OffsetPoint.Committed(group, since(otherwise))
      case other                                   => other
    }
    OffsetRuleText.held(rule).map(since)
  }
}

/** What is held of one topic of one cluster.
  *
  * @param kafkaId the id that the brokers give of the topic, once known
  * @param stream the stream that its rows carry
  * @param removal set while the metadata does not list the topic, and after its return until its cluster answers
  * @param ends where partitions end, exclusive, as resolved from the cluster's ending offsets
  * @param formers the other cluster ids under which this log was read: one log has one position under all its ids. For
  *                each id, by partition: up to where the log is still the one that was read
  * @param formerTopics Kafka's ids of the topic under those cluster ids, as far as they are known
  * @param beside the earlier ids that are listed beside this one, and under which nothing was read
  * @param behind the mirrors that were found to be behind, with what was found, by partition
  */
final case class TopicOffset(
    kafkaId: Option[String],
    stream: StreamId,
    partitions: SortedMap[Int, PartitionOffset],
    removal: Option[Removal] = None,
    ends: SortedMap[Int, Long] = SortedMap.empty,
    formers: SortedMap[ClusterId, SortedMap[Int, Long]] = SortedMap.empty,
    formerTopics: SortedMap[ClusterId, String] = SortedMap.empty,
    beside: SortedSet[ClusterId] = SortedSet.empty,
    behind: SortedMap[ClusterId, SortedMap[Int, MirrorLag]] = SortedMap.empty
) {

  /** Where a mirror ended, if it still counts as behind. */
  def mirrorEnd(mirror: ClusterId, partition: Int): Option[Long] = for {
    lag      <- behind.get(mirror).flatMap(_.get(partition))
    position <- partitions.get(partition) if lag.counts(position.next)
  } yield lag.end

  /** The same without what was found of mirrors before the log was read on. */
  def withoutPastLags: TopicOffset = withoutLags((_, _, _) => false)

  /** The same, and without these mirrors' partitions. */
  def withoutLags(over: (ClusterId, Int, MirrorLag) => Boolean): TopicOffset =
    if (behind.isEmpty) this
    else copy(behind =
      behind.transform((mirror, lags) =>
        lags.filter { case (number, lag) =>
          partitions.get(number).exists(at => lag.isAt(at.next)) && !over(mirror, number, lag)
        }
      ).filter(_._2.nonEmpty)
    )

  /** Whether it was removed and still has records to read, or may have. */
  def drains: Boolean = removal.exists {
    case Removal.Draining(_, parts, _)            => parts.exists { case (partition, left) => remains(partition, left) }
    case _: Removal.Open | _: Removal.ListedAgain => true
  }

  /** The partitions of a removed topic that still have records to read, or may have. */
  def unread: SortedMap[Int, Drain.Unread] = removal match {
    // Each topic has a partition 0, held or not.
    case Some(_: Removal.Open)               => (partitions.keySet + 0).unsorted.map(_ -> Drain.Unknown).to(SortedMap)
    case Some(Removal.Draining(_, parts, _)) => parts.filter { case (partition, left) => remains(partition, left) }
    case Some(_: Removal.ListedAgain) | None => SortedMap.empty
  }

  private def remains(partition: Int, left: Drain.Unread): Boolean = left match {
    case Drain.Unknown    => true
    case Drain.Until(end) => partitions.get(partition).exists(_.next < end)
  }

  /** The same removed topic, where these partitions are read no further. */
  def givingUp(some: Set[Int]): TopicOffset =
    copy(removal = removal.map(known => Removal.Draining(known.at, unread -- some, known.endings)))

  /** Whether a partition has been read to its own end. */
  def ended(partition: Int): Boolean =
    ends.get(partition).exists(end => partitions.get(partition).exists(_.next >= end))

  /** Whether all that is held of it has been read to its own end. */
  def finished: Boolean = partitions.nonEmpty && partitions.keysIterator.forall(ended)

  private[offsets] def moved(next: SortedMap[Int, Long], epochs: SortedMap[Int, Int]): TopicOffset =
    copy(partitions =
      partitions.transform((partition, at) =>
        next.get(partition).fold(at)(to => at.copy(next = to, epoch = epochs.get(partition)))
      )
    )
}

/** The position of one partition. Between two offsets of the query lies: within one incarnation, from the older `next`
  * to the newer `next`; where the incarnation differs, or the older offset does not have the partition, from `start` to
  * `next`.
  *
  * @param start where this incarnation began
  * @param next the next offset to read
  * @param incarnation goes up whenever what follows is not the continuation of what was read: the topic was re-created,
  *                    came back after its retention, or records aged out before they were read
  * @param epoch the leader epoch of the answer that set `next`, if the brokers gave one. If the log is ever cut below
  *              `next`, the leader of that time has a later epoch. So Kafka can prove whether the log still holds all
  *              before `next`, however much was written since
  */
final case class PartitionOffset(start: Long, next: Long, incarnation: Int, epoch: Option[Int] = None) {

  /** Whether records before this position were read in this incarnation. */
  def wasRead: Boolean = next > start

  /** The position in a new incarnation that begins there.
    *
    * @param epoch of the answer that says so
    */
  def restarted(at: Long, epoch: Option[Int]): PartitionOffset = PartitionOffset(at, at, incarnation + 1, epoch)

  /** The same incarnation, from the first record that was ever written. */
  def fromFirst: PartitionOffset = copy(start = 0, next = 0)

  /** Whether this is the same position, whatever is known of its epoch. */
  def isAt(other: PartitionOffset): Boolean =
    start == other.start && next == other.next && incarnation == other.incarnation
}
