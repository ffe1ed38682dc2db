package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, ClusterRule, PartitionOffset, PendingStart, TopicOffset}
import io.github.dynamickafka.spark.reconcile.TopicClaim.{Duplicate, Own, TakenOver}
import io.github.dynamickafka.spark.reconcile.TopicObservation.{Absent, Hidden, Present}
import io.github.dynamickafka.spark.topology.ListedCluster

/** One step of a topic that the metadata lists, on a cluster that answered: new partitions begin, a topic that returned
  * goes on where it was, lost records are noticed, and what another cluster id has is not read twice.
  */
final class ListedTopicStep(
    cluster: ClusterId,
    listed: ListedCluster,
    before: Option[ClusterOffset],
    situation: Situation,
    policy: ReconcilePolicy,
    owners: TopicOwners
) {
  private val starts  = StartingPoints(cluster, situation.held, listed, policy)
  private val settled = listed.endingOffsets.fold(Map.empty[String, SortedMap[Int, Long]])(Endings.settled(before, _))

  def step(name: String, stream: StreamId, seen: Option[TopicObservation]): Either[Failure, TopicStep] = {
    val held         = before.flatMap(_.topics.get(name))
    val told         = seen.collect { case present: Present => present.kafkaId }
    val kafkaTopicId = told.flatten.orElse(held.flatMap(_.kafkaId))
    // Of a topic that is neither held nor told of nobody knows which one it is.
    val claim =
      if (held.isEmpty && told.isEmpty) Own
      else TopicClaim.of(cluster, listed, name, held, kafkaTopicId, situation, owners)
    claim match {
      case Own                                           => own(name, stream, held, seen)
      case TakenOver(other, starting)                    => takeOver(name, stream, held, seen, other, starting)
      case Duplicate(other, _) if situation.held.initial => Left(duplicated(name, other))
      case duplicate: Duplicate                          => Right(asDuplicate(name, held, seen, duplicate))
    }
  }

  private def own(
      name: String,
      stream: StreamId,
      held: Option[TopicOffset],
      seen: Option[TopicObservation]
  ): Either[Failure, TopicStep] = {
    val ends = settled.getOrElse(name, SortedMap.empty[Int, Long])
    // What was removed when it was deleted is never loss: that it was is held until its cluster has shown which topic it is.
    val removal = held.flatMap(_.removal.orElse(situation.known.removal(cluster, name)))
      .map(RemovedTopic.listedAgain(policy.removal, situation.now))
    val kept = held.map(_.copy(stream = stream, removal = removal, ends = ends))
    val back = kept.map(_.copy(removal = None))
    (seen, back) match {
      case (None, _)         => Right(TopicStep(kept, unread = unreadBefore(name)))
      case (Some(Hidden), _) => Right(hidden(name, kept))
      case (Some(Absent), _) =>
        Right(TopicStep(kept, notices = Vector(Notice.MissingTopic(cluster, name)), unread = unreadBefore(name)))
      case (Some(present: Present), None) => goOn(name, TopicOffset(None, stream, SortedMap.empty), present)
      case (Some(present: Present), Some(topic)) if present.isAnother(topic) =>
        begunAgain(name, topic, present, Recreated.failure(cluster, name, topic, present), removal.isDefined)
      case (Some(present: Present), Some(topic)) =>
        CutOff.of(cluster, name, topic, present, situation, policy) match {
          case Some(cut) => cutOff(name, topic, present, cut, removal.isDefined)
          case None if removal.isDefined && doubtful(topic, present) =>
            val notices = BeyondEnd.notices(cluster, name, topic, present.partitions)
            Right(TopicStep(kept, notices = notices, hindrance = hindrance(topic, present)))
          case None => goOn(name, topic, present)
        }
    }
  }

  /** Held as topics of a cluster are that does not answer. */
  private def hidden(name: String, held: Option[TopicOffset]): TopicStep =
    TopicStep(
      held,
      hindrance = Hindrance.hidden,
      unread = if (held.isEmpty) unread(name) else unreadBefore(name)
    )

  private def unreadBefore(name: String): Option[PendingStart] = before.flatMap(_.unread.get(name))

  /** Where a partition begins that can't be seen yet: by the rule as of now, however much later that will be. */
  private def unread(name: String): Option[PendingStart] =
    StartingPoints.unread(cluster, name, situation.held, listed, policy, situation.now)

  /** What holds the topic alone; a partition that has reached its end needs nobody any more. */
  private def hindrance(topic: TopicOffset, present: Present): Hindrance = {
    def reached(partition: Int) =
      topic.ends.get(partition).exists(end => topic.partitions.get(partition).exists(_.next >= end))
    if (present.hindrance.isEmpty) present.hindrance
    else if (topic.partitions.nonEmpty && topic.partitions.keysIterator.forall(reached)) Hindrance.none
    else present.hindrance.of(!reached(_))
  }

  private def doubtful(topic: TopicOffset, present: Present): Boolean =
    BeyondEnd.read(topic, present.partitions).nonEmpty && !BeyondEnd.same(topic, present)

  private def goOn(name: String, topic: TopicOffset, present: Present): Either[Failure, TopicStep] = {
    val added = for {
      (partition, extent) <- present.partitions if !topic.partitions.contains(partition)
      start               <- start(name, partition, extent, starts)
    } yield partition -> PartitionOffset(start, start, situation.held.nextIncarnation)
    val ends = listed.endingOffsets.fold(SortedMap.empty[Int, Long]) { own =>
      Endings.resolve(cluster, name, own, topic.ends, present.partitions, situation.answers)
    }
    // An id that comes while the topic may be another one than was read would be the wrong one to know it by.
    val kafkaId = topic.kafkaId.orElse(present.kafkaId.filterNot(_ => doubtful(topic, present)))
    // The very same map where nothing is new: it tells that nothing is.
    val partitions = if (added.isEmpty) topic.partitions else topic.partitions ++ added
    val all        = topic.copy(kafkaId = kafkaId, partitions = partitions, ends = ends)
    AgedOut.skip(cluster, name, all, present.partitions, ends.get, policy.failOnDataLoss).map { aged =>
      TopicStep(
        Some(aged.topic),
        readable = TopicStep.readable(aged.topic, bound(name, aged.topic, present)),
        notices = aged.notices ++ BeyondEnd.notices(cluster, name, aged.topic, present.partitions),
        hindrance = hindrance(aged.topic, present),
        unread = stillUnread(name, aged.topic, present)
      )
    }
  }

  private def stillUnread(name: String, topic: TopicOffset, present: Present): Option[PendingStart] = {
    def open(partitions: Iterator[Int]) = partitions.exists(number => !topic.partitions.contains(number))
    if (open(present.hindrance.partitions.keysIterator)) unread(name)
    // The answer may be one to a question of before: what it leaves open keeps its rule.
    else if (open(present.partitions.keysIterator)) unread(name)
    else None
  }

  private def start(name: String, partition: Int, extent: Extent, points: StartingPoints): Option[Long] =
    StartingPoints.offset(
      PartitionId(cluster, name, partition),
      points.point(name, partition),
      extent,
      situation.answers
    )

  /** The newest record there is, or the partition's end. A time that was not asked about yet holds the partition. */
  private def bound(name: String, topic: TopicOffset, present: Present)(partition: Int): Option[Long] =
    present.partitions.get(partition).filterNot(_ => present.hindrance.holds(partition)).map { extent =>
      val open =
        listed.endingOffsets.flatMap(_.rule.point(name, partition)).filterNot(_ => topic.ends.contains(partition))
      val here = PartitionId(cluster, name, partition)
      if (open.exists(_.asked.exists(point => !situation.answers.contains(Question(here, point))))) 0L
      else topic.ends.get(partition).fold(extent.latest)(Math.min(extent.latest, _))
    }

  /** The topic is another one than was read: what was not read of the old one is lost, unless it was removed from the
    * metadata: that and being deleted in Kafka, in either order, is never loss.
    */
  private def begunAgain(
      name: String,
      topic: TopicOffset,
      present: Present,
      failure: Failure,
      removed: Boolean
  ): Either[Failure, TopicStep] =
    if (policy.failOnDataLoss && !removed) Left(failure)
    else {
      val points = present.partitions.map { case (partition, extent) => partition -> extent.earliest }
      val lost   = if (removed) Vector.empty else Vector(Notice.Lost(PartitionId(cluster, name, 0), 0, failure))
      afresh(name, topic, present, points).map(step => step.copy(notices = lost ++ step.notices))
    }

  /** The topic in a new incarnation that begins at these offsets. */
  private def afresh(
      name: String,
      topic: TopicOffset,
      present: Present,
      points: Map[Int, Long]
  ): Either[Failure, TopicStep] = {
    val number     = (topic.partitions.values.map(_.incarnation + 1).toSeq :+ situation.held.nextIncarnation).max
    val partitions = points.map { case (partition, start) => partition -> PartitionOffset(start, start, number) }
    val fresh      = TopicOffset(present.kafkaId, topic.stream, partitions.to(SortedMap))
    goOn(name, fresh, present)
  }

  private def cutOff(
      name: String,
      topic: TopicOffset,
      present: Present,
      cut: CutOff,
      removed: Boolean
  ): Either[Failure, TopicStep] =
    if (!cut.same) begunAgain(name, topic, present, cut.failure(topic), removed)
    else if (policy.failOnDataLoss) Left(cut.failure(topic))
    else goOn(name, cut.shortened(topic), present).map { step =>
      val lost = cut.logs.map { case (partition, log) =>
        Notice.Lost(PartitionId(cluster, name, partition), log.unread, cut.failure(topic))
      }
      step.copy(notices = lost ++ step.notices)
    }

  /** The topic was read under another id before. */
  private def takeOver(
      name: String,
      stream: StreamId,
      held: Option[TopicOffset],
      seen: Option[TopicObservation],
      other: ClusterId,
      starting: ClusterRule
  ): Either[Failure, TopicStep] = seen match {
    case Some(present: Present) =>
      TakeOver.of(cluster, starting, name, held, present, other, situation) match {
        case TakeOver.Awaited  => Right(TopicStep(held, hindrance = present.hindrance))
        case TakeOver.LeftOver =>
          Right(asDuplicate(name, held, seen, Duplicate(other, TopicClaim.StartGiven)))
        case begins: TakeOver.Begins =>
          val topic    = held.getOrElse(TopicOffset(None, stream, SortedMap.empty)).copy(stream = stream)
          val outdated = Option.when(begins.outdated.nonEmpty)(Notice.Outdated(cluster, other, name, begins.outdated))
          val leftOut  = Option.when(begins.leftOut.nonEmpty)(Notice.LeftOut(cluster, other, name, begins.leftOut))
          afresh(name, topic, present, begins.points).map { step =>
            step.copy(notices = outdated.toVector ++ leftOut ++ step.notices)
          }
      }
    case Some(Hidden) => Right(TopicStep(held, hindrance = Hindrance.hidden))
    case Some(Absent) => Right(TopicStep(held, notices = Vector(Notice.MissingTopic(cluster, name))))
    case None         => Right(TopicStep(held))
  }

  /** Not read, but for what was held of it under this id before and still drains. */
  private def asDuplicate(
      name: String,
      held: Option[TopicOffset],
      seen: Option[TopicObservation],
      duplicate: Duplicate
  ): TopicStep = {
    val removed = new RemovedTopicStep(cluster, situation, policy, owners, over = None)
    val step    = held.fold(TopicStep(None))(removed.step(name, _, seen))
    step.copy(duplicate = Some(duplicate))
  }

  private def duplicated(name: String, other: ClusterId): Failure = Failure(
    Condition.ClusterDuplicated,
    s"Clusters $other and $cluster are one Kafka cluster, and both list topic $name, which would be read twice. List it " +
      "under one of them."
  )
}
