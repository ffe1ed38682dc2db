package io.github.dynamickafka.spark.reconcile.topic

import java.time.Duration

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.TopicId
import io.github.dynamickafka.spark.offsets.{Drain, PartitionOffset, Removal, Retention, TopicOffset}
import io.github.dynamickafka.spark.options.{DurationText, RemovedClusterPolicy}
import io.github.dynamickafka.spark.reconcile.{BatchKind, StepContext}
import io.github.dynamickafka.spark.reconcile.observed.{Extent, ReadObstacle}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Failed, Silent}
import io.github.dynamickafka.spark.reconcile.observed.ReadObstacle.{Leaderless, NoAnswer, NotByExecutors}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Hidden, Present}
import io.github.dynamickafka.spark.reconcile.report.{Notice, SkippedTopics}

/** One step of a topic that the metadata does not list any more. Each partition drains up to an end of its own, or is
  * given up. The topic is then kept for its retention, and is forgotten after that. It never fails the query.
  *
  * @param held what is held of it
  */
final class RemovedTopicStep(id: TopicId, held: TopicOffset, context: StepContext) {
  import context.{input, policy}
  import id.name

  private val cluster = input.recognised.get(id.cluster)
  private val seen    = cluster.flatMap(_.topic(name))

  /** Why its cluster did not answer, if it failed. */
  private val failure: Option[Failure] = cluster.collect { case Failed(failure) => failure }

  /** What its cluster reports of it, if it is still the same topic. */
  private val present = seen.collect { case present: Present if !present.isAnother(held) => present }
  private val extents = present.map(_.partitions)
  private val logs    = present.map(new LogTruncation(id, held, _, context))

  // If a leader was asked whether its log was cut off, and does not answer, the try has failed.
  private val obstacle = seen.fold(ReadObstacle.none)(_.obstacle).and(logs.fold(Set.empty[Int])(_.silent))

  // They say what drains.
  private lazy val deciding = extents.filterNot(_.keysIterator.exists(early))

  // The extents that decide the ends of the drain.
  private lazy val certain: Map[Int, Extent] =
    logs.fold(Map.empty[Int, Extent])(_.certain.filterNot { case (partition, _) => early(partition) })

  private def early(partition: Int): Boolean = input.known.firstAnswers.early(id.partition(partition))

  private val endings = Endings.removed(id, input.held)

  // Where its partitions end by the ending offsets of its cluster.
  private lazy val ends = endings.resolved(certain, input.answers).settled

  private val now: Long = input.now.toEpochMilli

  // After a topic was listed again, its removal is a new one, with a new retention.
  private val removal: Removal = recorded match {
    case Some(Removal.Draining(since, parts, _))                 => draining(since, parts)
    case Some(Removal.Open(since, _))                            => noticed(since)
    case _ if policy.removal.policy == RemovedClusterPolicy.Stop => Removal.stopped(now)
    case _                                                       => noticed(now)
  }

  private val topic = joined(logs.fold(held)(logs => logs.named(logs.proved)).copy(removal = Some(removal)))

  private def recorded: Option[Removal] = held.removal.filterNot(_.isInstanceOf[Removal.ListedAgain])

  /** The step while it is paused: it records the removal, and nothing is drained or forgotten. Its retention counts from when
    * the pause ends.
    */
  def paused: TopicStep = {
    def begun = if (policy.removal.policy == RemovedClusterPolicy.Stop) Removal.stopped(now) else Removal.Open(now)
    val known = recorded.getOrElse(begun)
    TopicStep(Some(held.copy(removal = Some(known.lastListed(now)))))
  }

  def step: TopicStep = duplicate.getOrElse(cutBefore.fold(stepped) { case (restarted, lost) =>
    val step = new RemovedTopicStep(id, restarted, context).step
    step.copy(notices = lost ++ step.notices)
  })

  /** Another id of its Kafka cluster has the topic: nothing drains. */
  private def duplicate: Option[TopicStep] = for {
    _     <- input.held.clusters.get(id.cluster).filter(_.adopted)
    other <- context.duplicates.other(id.cluster, name, present.flatMap(_.kafkaId), None)
  } yield TopicStep(Some(held.copy(removal = Some(Removal.stopped(removal.at)))), duplicate = Some(other))

  /** The topic, restarted where its logs were cut off, if the end of their drain was still unknown. What was written
    * after the cut counts as written before the removal.
    */
  private def cutBefore: Option[(TopicOffset, Vector[Notice])] = for {
    loss <- logs.filter(_ => present.exists(_.isSame(held))).flatMap(_.loss)
    open = held.partitions.keySet.filter { number =>
      logs.exists(_.cut(number)) && held.removal.forall(_.drain(number) == Drain.Unknown)
    }
    if open.nonEmpty
    partitions = held.partitions.transform((number, at) => if (open(number)) loss.goesOn.partitions(number) else at)
  } yield held.copy(partitions = partitions) ->
    loss.notices.filter { case lost: Notice.Lost => open(lost.id.partition); case _ => false }

  private def stepped: TopicStep =
    if (gone) TopicStep(withoutRest)
    else if (Retention.expired(topic, reachable, policy.removal.retention, input.now)) forgotten
    else {
      val over = failed.filter(triedEnough)
      // Where a log was cut off, no record from before the removal is left.
      val cut   = topic.unread.keySet.filter(number => logs.exists(_.cut(number)))
      val kept  = if (over.isEmpty && cut.isEmpty) topic else topic.givingUp(over.toSet ++ cut)
      val ended = lastFailure(over).map(why => abandoned(over, givenUp(why))).toVector
      drained(
        kept,
        extents.getOrElse(Map.empty),
        ended ++ logs.filter(_ => cut.nonEmpty).flatMap(_.loss).toVector.flatMap(_.notices)
      )
    }

  /** Whether it was deleted, or created again: nothing is left of what was listed. */
  private def gone: Boolean = seen.exists {
    case Hidden     => false
    case Absent     => context.deleted(id)
    case _: Present => extents.isEmpty
  }

  // A mirror may have the rest of a topic that was deleted. Once it was created again, a mirror has the new one. Without
  // Kafka's id, what returns under this name would resume at these positions.
  private def withoutRest: Option[TopicOffset] = Some(held.copy(removal = Some(Removal.stopped(removal.at))))
    .filter(_.kafkaId.isDefined && seen.contains(Absent))
    .filterNot(Retention.expired(_, reached = false, policy.removal.retention, input.now))

  private def reachable: Boolean = extents.isDefined || cluster.exists(_.isInstanceOf[Silent])

  /** All partitions that its cluster first reports after the removal drain, even without a leader: one that
    * appeared just before the removal was listed too. So do those that were seen before it.
    */
  private def noticed(since: Long): Removal = deciding.fold[Removal](Removal.Open(since)) { all =>
    val pending =
      input.held.clusters.get(id.cluster).flatMap(_.pendingTopics.get(name)).fold(Set.empty[Int])(_.partitions(name))
    val numbers = held.partitions.keysIterator ++ all.keysIterator ++ obstacle.partitions.keysIterator ++ pending
    draining(since, numbers.map(_ -> Drain.Unknown).to(SortedMap))
  }

  private def draining(since: Long, parts: SortedMap[Int, Drain.Unread]): Removal =
    Removal.Draining(
      since,
      if (extents.isEmpty) parts
      else parts.flatMap {
        case (partition, Drain.Unknown) => end(partition).map(partition -> _)
        case known                      => Some(known)
      }
    )

  /** Where the drain of a partition ends; none if nothing of it is left. Records that an open transaction holds back drain
    * too: they may have been written long before.
    */
  private def end(partition: Int): Option[Drain.Unread] = {
    def reached(end: Long)     = held.partitions.get(partition).exists(_.next >= end)
    def begins(extent: Extent) = held.partitions.contains(partition) || begun(partition, extent).isDefined
    certain.get(partition) match {
      case Some(extent) if endings.questions(Some(partition)).forall(input.answers.contains) && begins(extent) =>
        val end = ends.get(partition).fold(extent.written)(Math.min(_, extent.written))
        Option.unless(reached(end))(Drain.Until(end))
      case _ => Option.unless(ends.get(partition).exists(reached))(Drain.Unknown)
    }
  }

  // A partition that was not seen while the topic was listed.
  private def begun(partition: Int, extent: Extent): Option[PartitionOffset] = {
    val point = StartingPoints.ofRemoved(input.held, id.cluster, name, partition)
    StartingPoints.begun(id.partition(partition), point, extent, input)
  }

  /** A partition begins that was not held yet, once the end of its drain is known. */
  private def joined(topic: TopicOffset): TopicOffset = {
    val added = for {
      (partition, extent) <- extents.iterator.flatten if !topic.partitions.contains(partition)
      if removal.drain(partition).isInstanceOf[Drain.Until]
      begun <- begun(partition, extent)
    } yield partition -> begun
    topic.copy(partitions = topic.partitions ++ added)
  }

  /** The partitions that could not be read just now. If the address of the cluster is unknown, no try is made, and the
    * drain waits.
    */
  private def failed: Vector[Int] =
    if (failure.exists(_.condition == Condition.ClusterNotListed) || input.topology.unresolved(id.cluster).isDefined)
      Vector.empty
    else topic.unread.iterator.collect {
      case (partition, drain)
          if failure.isDefined || obstacle.failed(partition) || seen.exists(_.fails(
            partition,
            drain,
            next(partition)
          )) =>
        partition
    }.toVector

  /** Whether a partition that could not be read just now is given up: once all tries have failed for `drainTimeout`, or at
    * once if the service calls the cluster inactive. Then, what the executors could not read before the removal is tried
    * again. And a partition of a cluster that answers may just have an election: it is given up if it has no answer from a
    * leader for as long as a request may take.
    */
  private def triedEnough(partition: Int): Boolean = {
    def tries                  = input.known.tries
    def lasted(time: Duration) = tries.time(id.partition(partition), input.now).compareTo(time) >= 0
    lasted(policy.removal.drainTimeout) || inactive && (obstacle.partitions.get(partition) match {
      case Some(_: NotByExecutors)     => tries.byExecutors(id.partition(partition))
      case Some(Leaderless | NoAnswer) => lasted(policy.agreement)
      case None                        => true
    })
  }

  private def inactive: Boolean =
    input.inactive(id.cluster) || input.topology.clusters.get(id.cluster).exists(!_.active)

  private def givenUp(last: Failure): Failure = {
    val why =
      if (inactive) "a try failed, and the metadata service calls the cluster inactive"
      else s"tries have failed for drainTimeout, ${DurationText.text(policy.removal.drainTimeout)}"
    last.copy(wording =
      say"$why. If it is listed again within removedClusterRetention, it resumes exactly where it was. " +
        say"Last failure: ${last.wording}"
    )
  }

  private def next(partition: Int): Long = topic.partitions.get(partition).fold(0L)(_.next)

  /** Why it has failed. */
  private def lastFailure(partitions: Vector[Int]): Option[Failure] =
    if (partitions.isEmpty) None
    else failure
      .orElse(SkippedTopics(id.cluster, SortedMap(name -> obstacle.of(partitions.contains(_)))).failure)
      .orElse(Some(Failure(
        Condition.DataLoss,
        "The log no longer has all records that were there at the removal."
      )))

  private def drained(topic: TopicOffset, extents: Map[Int, Extent], ended: Vector[Notice]): TopicStep = {
    def target(partition: Int): Option[Long] = topic.removal.map(_.drain(partition)).flatMap {
      case Drain.Until(end) => Some(end)
      case Drain.Done       => Some(0)
      case Drain.Unknown    => None
    }
    val aged                 = AgedOut.loss(id, topic, extents, target)
    val now                  = aged.fold(topic)(_.goesOn)
    def open(partition: Int) =
      target(partition).filter(_ => !obstacle.forbids(partition) && !logs.exists(_.waits(partition)))
        .filter(_ => extents.contains(partition))
    def bound(partition: Int) = open(partition).map(Math.min(_, extents(partition).latest))
    val left                  = now.unread
    TopicStep(
      Some(now),
      TopicStep.readable(now, bound),
      ended ++ aged.toVector.flatMap(_.notices) ++ logs.toVector.flatMap(_.notices(left.contains)),
      obstacle = if (left.isEmpty) ReadObstacle.none else obstacle.of(left.contains),
      live = if (policy.batches == BatchKind.RealTime) TopicStep.readable(now, open) else SortedMap.empty
    )
  }

  private def forgotten: TopicStep =
    if (!topic.drains) TopicStep(None)
    else {
      val why  = failure.getOrElse(Failure(Condition.ClusterNotListed, "Its address is not known."))
      val last = say"removedClusterRetention is over, and its positions are forgotten. ${why.wording}"
      TopicStep(None, notices = Vector(abandoned(topic.unread.keysIterator.toVector, why.copy(wording = last))))
    }

  private def abandoned(partitions: Vector[Int], why: Failure): Notice =
    Notice.Abandoned(id, partitions, input.known.lag(id, topic, partitions), why)
}
