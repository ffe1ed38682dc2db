package io.github.dynamickafka.spark.reconcile.topic

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, PendingStart, TopicOffset}
import io.github.dynamickafka.spark.reconcile.{Question, StepContext}
import io.github.dynamickafka.spark.reconcile.cluster.StartingPoints
import io.github.dynamickafka.spark.reconcile.observed.{Extent, Hindrance, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Hidden, Present}
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.reconcile.succession.Role
import io.github.dynamickafka.spark.topology.ListedCluster

/** One step of a topic that the metadata lists, on a cluster that answered: new partitions begin, a topic that returned
  * goes on where it was, lost records are noticed, and what another id reads is not read twice.
  *
  * @param topics what is held of the cluster's topics
  */
final class ListedTopicStep(
    cluster: ClusterId,
    listed: ListedCluster,
    before: Option[ClusterOffset],
    topics: SortedMap[String, TopicOffset],
    context: StepContext
) {
  import context.{policy, situation}

  private val starts  = StartingPoints(cluster, situation.held, listed, policy)
  private val settled = listed.endingOffsets.fold(Map.empty[String, SortedMap[Int, Long]])(Endings.settled(before, _))

  def step(name: String, stream: StreamId, seen: Option[TopicObservation]): Either[Failure, TopicStep] = {
    val held = topics.get(name)
    if (listed.pause.holds(name)) Right(ListedTopicStep.paused(held, stream, unreadNow(name, held)))
    else
      context.roles.of(cluster, name) match {
        case _: Role.Standby                     => Right(TopicStep(None))
        case Role.Successor(_) if held.isDefined => own(name, stream, held, seen)
        case Role.Successor(of) => duplicate(name, held, seen, of).getOrElse(Right(awaited(name, seen)))
        case Role.Reader        => duplicate(name, held, seen).getOrElse(own(name, stream, held, seen))
      }
  }

  /** The step of a topic that another id has, though nobody declared that.
    *
    * @param apart the id whose position this one is to take over
    */
  private def duplicate(
      name: String,
      held: Option[TopicOffset],
      seen: Option[TopicObservation],
      apart: ClusterId*
  ): Option[Either[Failure, TopicStep]] = {
    val ids = seen.collect { case present: Present => present.kafkaId }
    val is  = ids.flatten.orElse(held.flatMap(_.kafkaId))
    // While a topic is read, and is still the same, nobody else's claim counts.
    val reads = held.exists(topic => topic.removal.isEmpty && topic.kafkaId.forall(id => is.forall(_ == id)))
    // Of a topic that is neither held nor reported nobody knows which one it is.
    if (reads || held.isEmpty && ids.isEmpty) None
    else context.duplicates.other(cluster, name, is, apart: _*).map { other =>
      if (situation.held.initial) Left(ListedTopicStep.duplicated(cluster, name, other))
      else Right(TopicStep(held, duplicate = Some(other)))
    }
  }

  /** The position is still held under the other id. */
  private def awaited(name: String, seen: Option[TopicObservation]): TopicStep = seen match {
    case Some(Absent) =>
      TopicStep(None, notices = Vector(Notice.MissingTopic(cluster, name)), unread = unreadBefore(name))
    case other => TopicStep(None, hindrance = other.fold(Hindrance.none)(_.hindrance), unread = unreadBefore(name))
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
      .map(RemovedTopic.listedAgain)
    val kept = held.map(_.copy(stream = stream, removal = removal, ends = ends, behind = SortedMap.empty))
    val back = kept.map(_.copy(removal = None))
    (seen, back) match {
      case (None, _)         => Right(TopicStep(kept, unread = unreadBefore(name)))
      case (Some(Hidden), _) => Right(hidden(name, kept))
      case (Some(Absent), _) =>
        Right(TopicStep(kept, notices = Vector(Notice.MissingTopic(cluster, name)), unread = unreadBefore(name)))
      case (Some(present: Present), None) =>
        goOn(name, TopicOffset(None, stream, SortedMap.empty, formers = earlier), present)
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
      unread = unreadNow(name, held)
    )

  private def unreadNow(name: String, held: Option[TopicOffset]): Option[PendingStart] =
    if (held.isEmpty) unread(name) else unreadBefore(name)

  // The ids that had this log before, whether or not they had read anything of it.
  private def earlier: SortedSet[ClusterId] = listed.continues.filter(situation.held.clusters.contains)

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
      start               <- start(name, partition, extent)
    } yield partition -> PartitionOffset(start, start, situation.held.nextIncarnation)
    val ends = listed.endingOffsets.fold(SortedMap.empty[Int, Long]) { own =>
      Endings.resolve(cluster, name, own, topic.ends, present.partitions, situation.answers)
    }
    // An id that comes while the topic may be another one than was read would be the wrong one to know it by.
    val kafkaId = topic.kafkaId.orElse(present.kafkaId.filterNot(_ => doubtful(topic, present)))
    // The very same map where nothing is new: others compare it by reference.
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

  private def start(name: String, partition: Int, extent: Extent): Option[Long] = {
    // What was handed over was begun before, however new its cluster is.
    val points =
      if (context.handOver.gained.contains(cluster -> name)) StartingPoints(StartingPoints.appearing(listed))
      else starts
    StartingPoints.offset(
      PartitionId(cluster, name, partition),
      points.point(name, partition),
      extent,
      situation.answers
    )
  }

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
      val lost = if (removed) Vector.empty else Vector(Recreated.lost(cluster, name, failure))
      goOn(name, Recreated.begun(topic, present, situation.held.nextIncarnation), present)
        .map(step => step.copy(notices = lost ++ step.notices))
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
}

private object ListedTopicStep {

  /** Held as it is. That it was removed before is over. */
  def paused(held: Option[TopicOffset], stream: StreamId, unread: Option[PendingStart]): TopicStep =
    TopicStep(
      held.map(topic => topic.copy(stream = stream, removal = topic.removal.map(RemovedTopic.listedAgain))),
      unread = unread
    )

  def duplicated(cluster: ClusterId, name: String, other: ClusterId): Failure = Failure(
    Condition.ClusterDuplicated,
    s"Clusters $other and $cluster are one Kafka cluster, and both list topic $name, which would be read twice. List it " +
      s"under one of them; or, if cluster $cluster is to go on where $other ends, add `continues: $other` to it."
  )
}
