package io.github.dynamickafka.spark.reconcile.topic

import scala.collection.immutable.{SortedMap, SortedSet}

import io.github.dynamickafka.spark.errors.{Failure, Named}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, TopicId}
import io.github.dynamickafka.spark.offsets.{PendingStart, TopicOffset}
import io.github.dynamickafka.spark.reconcile.{BatchKind, Reconciler, StepContext}
import io.github.dynamickafka.spark.reconcile.observed.ReadObstacle
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Hidden, Present}
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.reconcile.succession.{Duplicates, Mirror, Role}

/** One step of a topic that the metadata lists. New partitions begin. A topic that returned resumes at its position. Lost
  * records are noticed. A topic that another id reads is not read twice.
  *
  * @param held what is held of it under this id
  */
final class ListedTopicStep(id: TopicId, held: Option[TopicOffset], starts: StartingPoints, context: StepContext) {
  import context.{input, policy}
  import id.{cluster, name}

  private type Outcome = Either[Failure, TopicStep]

  private val before = input.held.clusters.get(cluster)
  private val listed = input.topology.clusters(cluster)
  private val stream = listed.topics(name)
  private val role   = input.roles.of(cluster, name)
  private val seen   = input.recognised.get(cluster).flatMap(_.topic(name))
  // The same Kafka cluster under another name keeps its ends with their text.
  private val endings = Endings.listed(
    id,
    listed,
    input.basis.renamedFrom(cluster, name, input.kafkaId(cluster)).fold(before)(input.held.clusters.get)
  )

  // The log's position is still held by the id that this one continues.
  private val waits = role.isInstanceOf[Role.Successor] && !context.handOver.changed.contains(cluster -> name)

  // Where partitions begin that can't be seen yet: by the rule that is held, or else by the present one. A topic that is
  // known not to exist begins as one that appears later.
  private def pendingBefore: Option[PendingStart] =
    if (undrained.nonEmpty) Some(starts.ofPartitions(name, starts.awaited(name) ++ undrained, input.now))
    else
      before.flatMap(_.pendingTopics.get(name))
        .filterNot(_ => held.isEmpty && seen.contains(Absent) && context.deleted(id))

  // The partitions that first appeared while it was off the list, and have not begun. An answer may leave them out.
  private def undrained: Set[Int] = held.toVector.flatMap(topic =>
    topic.removal.toVector.flatMap(_.unknown).filterNot(topic.partitions.contains)
  ).toSet
  private def pendingNow: Option[PendingStart] = Some(role match {
    case Role.Reader => starts.ofTopic(name, input.now)
    case _           => starts.ofWaiting(name, input.now)
  })

  // What is held while it is not read. Once the cluster has answered, another text of its ending offsets counts.
  private def proved: Option[TopicOffset] = held.map { topic =>
    val known = seen.collect { case present: Present if !present.isAnother(topic) => logsOf(topic, present).proved }
      .getOrElse(topic)
    if (known.ends != endings.settled) known.copy(ends = endings.settled) else known
  }

  /** The step if the cluster did not answer, or was not asked: the topic is held as it is. A topic first listed after
    * the last answer of its cluster begins by the present rule.
    */
  def unanswered: TopicStep =
    asItIs(if (held.isEmpty) pendingNow else pendingBefore)

  /** Of a cluster that answered. */
  def step: Either[Failure, TopicStep] =
    if (listed.pause.holds(name)) Right(forgotten(asItIs(pendingWhilePaused)))
    else
      role match {
        case _: Role.Standby             => Right(TopicStep(None, pending = pendingBefore))
        case Role.Successor(of) if waits =>
          duplicate(Some(of)).getOrElse(Right(awaited(None)))
        case _: Role.Successor => own
        case Role.Reader       => duplicate(None).getOrElse(own)
      }

  // Keep the removal until the cluster shows which topic it has: a topic deleted after its removal is no loss.
  private def asItIs(pending: Option[PendingStart]): TopicStep = TopicStep(
    proved.map { topic =>
      def known = seen.exists { case present: Present => present.isSame(topic); case _ => false }
      val off   = topic.removal.filterNot(_ => known)
      topic.copy(stream = stream, removal = off.map(_.again), beside = besideNow(topic))
    },
    pending = pending
  )

  /** The step of a topic that another id has, though nobody declared both to be one.
    *
    * @param apart the id whose position this one is to take over
    */
  private def duplicate(apart: Option[ClusterId]): Option[Outcome] = {
    val present = seen.collect { case present: Present => present }
    val kafkaId = present.flatMap(_.kafkaId).orElse(held.flatMap(_.kafkaId))
    // While a topic is read and is still the same, no other id's claim counts. A topic taken over from Spark's own
    // source has no id of Kafka's yet: its claims are compared.
    val reads =
      !before.exists(_.adopted) && held.exists(topic => topic.removal.isEmpty && topic.kafkaId == kafkaId)
    // A topic that is neither held nor reported is not known to be anyone's.
    if (reads || held.isEmpty && present.isEmpty) None
    else context.duplicates.other(cluster, name, kafkaId, apart).map { other =>
      if (input.held.initial) Left(Duplicates.failure(cluster, name, other))
      else Right(TopicStep(proved, duplicate = Some(other), pending = pendingBefore))
    }
  }

  /** The topic can't be described, or must not begin here yet. */
  private def awaited(topic: Option[TopicOffset]): TopicStep = TopicStep(
    topic,
    notices = seen.collect { case Absent => Notice.MissingTopic(cluster, name) }.toVector,
    obstacle = seen.fold(ReadObstacle.none)(_.obstacle),
    // What is handed over in this step brings its rule.
    pending = (if (topic.isDefined) starts.handedOver(name) else None).orElse(pendingBefore)
  )

  private def own: Outcome = {
    val kept = held.map(topic =>
      topic.copy(
        stream = stream,
        removal = topic.removal.map(_.again),
        ends = endings.settled,
        beside = besideNow(topic)
      ).withoutLags((mirror, number, lag) =>
        Mirror.caughtUp(input.roles, input.recognised)(mirror, PartitionId(cluster, name, number), lag)
      )
    )
    seen match {
      case Some(present: Present)       => shown(present, kept)
      case Some(Hidden) if held.isEmpty => Right(awaited(kept).copy(pending = pendingNow))
      case Some(Absent)                 => Right(absent(kept))
      case Some(Hidden) | None          => Right(awaited(kept))
    }
  }

  private def absent(kept: Option[TopicOffset]): TopicStep = {
    val step = forgotten(awaited(kept))
    val gone = kept.filter(deleted)
    val lost = gone.map(input.known.unread(id, _)).filter(_ > 0).map(records =>
      Notice.Lost(id.partition(0), records, Reconciler.deletion(Vector(Named.topicOf(cluster, name))))
    )
    step.copy(deleted = gone.isDefined, notices = step.notices ++ lost)
  }

  // The earlier ids that stand by and were never read. If one is listed alone again, it continues here.
  private def besideNow(topic: TopicOffset): SortedSet[ClusterId] =
    listed.continues.filter(id => standsBy(id) && !topic.formers.contains(id)) ++
      stillBeside(topic)

  // If both are listed apart, it is another log. So is one that the query never knew, once the line is gone.
  private def stillBeside(topic: TopicOffset): SortedSet[ClusterId] = {
    val ids                     = topic.formers.keySet + cluster
    def declared(id: ClusterId) = ids.exists(input.topology.clusters.get(_).exists(_.continues(id)))
    topic.beside.filter(id =>
      standsBy(id) || !input.topology.lists(id, name) && (declared(id) || input.held.clusters.contains(id))
    )
  }

  private def standsBy(former: ClusterId) = input.roles.standsBy(former, name, reader = cluster)

  /** The step of a topic, which may be missing. Once one without an id counts as deleted, what comes under its name is
    * another topic, even if that has more records than were read.
    */
  private def forgotten(step: TopicStep): TopicStep = step.topic.filter(topic =>
    seen.contains(Absent) && topic.kafkaId.isEmpty && topic.partitions.nonEmpty && !topic.finished && context.deleted(
      id
    )
  ).fold(step) { topic =>
    val anew = starts.ofTopic(name, input.now).fromEarliest
    step.copy(topic = Some(topic.copy(partitions = SortedMap.empty, ends = SortedMap.empty)), pending = Some(anew))
  }

  // What was deleted after its removal, or after all of it was read to its end, is no loss.
  private def deleted(topic: TopicOffset): Boolean = topic.removal.isEmpty &&
    !(topic.finished && pendingBefore.isEmpty) && context.deleted(id)

  /** @param kept what is held of it, with its removal */
  private def shown(present: Present, kept: Option[TopicOffset]): Outcome = {
    val topic   = kept.fold(begun)(_.copy(removal = None))
    val removed = kept.exists(_.removal.isDefined)
    val logs    = logsOf(topic, present)
    val loss    = Recreated.loss(id, topic, present, input).orElse(logs.loss)
    loss match {
      case Some(lost) if lost.recreated && removed =>
        val perhaps = if (present.isAnother(topic)) Vector.empty else Vector(Notice.ReadAgain(id))
        goOn(lost.copy(notices = Vector.empty), present).map(step => step.copy(notices = step.notices ++ perhaps))
      case Some(lost) if policy.failOnDataLoss => Left(lost.failure)
      case Some(lost)                          => goOn(lost, present)
      case None if removed && logs.doubtful    =>
        Right(awaited(kept).copy(notices = beyondEnd(topic, present), obstacle = obstacle(topic, present)))
      case None => goOn(logs, present)
    }
  }

  // All earlier ids belong to this log, though they have read nothing of it. The query may never have known some.
  private def begun: TopicOffset = {
    val known = input.continued(cluster)
    TopicOffset(None, stream, SortedMap.empty, formers = known, beside = listed.continues.filterNot(known.contains))
  }

  private def logsOf(topic: TopicOffset, present: Present) = new LogTruncation(id, topic, present, context)

  private def goOn(lost: Loss, present: Present): Outcome = goOn(logsOf(lost.goesOn, present), present, Some(lost))

  private def goOn(logs: LogTruncation, present: Present, lost: Option[Loss] = None): Outcome = {
    val topic = logs.readOn
    val added = for {
      (partition, extent) <- present.partitions if !topic.partitions.contains(partition)
      begun               <- StartingPoints.begun(id.partition(partition), starts.point(name, partition), extent, input)
    } yield partition -> (if (addedSince(topic, present)(partition)) begun.fromFirst else begun)
    val ends = endings.copy(settled = topic.ends).resolved(logs.certain, input.answers)
    val all  = topic.copy(
      // The same object where nothing is new, since others compare by reference.
      partitions = if (added.isEmpty) topic.partitions else topic.partitions ++ added,
      ends = ends.settled
    )
    val aged = AgedOut.loss(id, all, present.partitions, ends.settled.get)
    aged.map(_.failure).filter(_ => policy.failOnDataLoss).toLeft {
      val now = aged.fold(all)(_.goesOn)
      TopicStep(
        Some(now),
        readable = bounded(now, logs.waits)(bound(ends, present)),
        // Its readers ask for the missing proof themselves: an answer about an earlier position must not hold it.
        live = if (live) bounded(now, logs.suspects)(open(ends, present, now)) else SortedMap.empty,
        notices = (lost ++ aged).toVector.flatMap(_.notices) ++ logs.notices() ++ beyondEnd(now, present),
        obstacle = obstacle(now, present).and(logs.silent),
        pending = stillPending(now, present, anew = lost.exists(_.recreated))
      )
    }
  }

  // Of a topic that another id read before, or that was not listed meanwhile, it is not known what was there.
  private def addedSince(topic: TopicOffset, present: Present)(partition: Int): Boolean = present.isSame(topic) &&
    topic.formers.isEmpty && held.exists(_.removal.isEmpty) && starts.added(name, partition)

  /** How far a partition may be read: to its newest record or its end. It waits for the answer about its end. */
  private def bound(ends: Endings, present: Present)(partition: Int): Option[Long] =
    present.partitions.get(partition).filterNot(_ => present.obstacle.forbids(partition)).map { extent =>
      if (!ends.questions(Some(partition)).forall(input.answers.contains)) 0L
      else ends.settled.get(partition).fold(extent.latest)(Math.min(extent.latest, _))
    }

  private def bounded(topic: TopicOffset, waits: Int => Boolean)(bound: Int => Option[Long]): SortedMap[Int, Long] =
    TopicStep.readable(topic, partition => bound(partition).filterNot(_ => waits(partition)))

  private def live: Boolean = policy.batches == BatchKind.RealTime

  /** The same for one that is read as records come: to its end, if it has any. */
  private def open(ends: Endings, present: Present, topic: TopicOffset)(partition: Int): Option[Long] =
    bound(ends, present)(partition).filter(latest => topic.partitions.get(partition).forall(_.next <= latest))
      .map(_ => ends.settled.getOrElse(partition, TopicStep.Endless))

  private def beyondEnd(topic: TopicOffset, present: Present): Vector[Notice] =
    present.beyond(topic).map { case (partition, position, end) =>
      Notice.BeyondEnd(id.partition(partition), position, end)
    }

  /** Why the topic is skipped. A partition that has reached its end does not count. But a first start, or a batch read,
    * names all rights that are missing, so that they don't turn up one by one as records come.
    */
  private def obstacle(topic: TopicOffset, present: Present): ReadObstacle = {
    val left = present.obstacle.of(!topic.ended(_))
    if (!input.held.initial && topic.finished && left.partitions.isEmpty) ReadObstacle.none else left
  }

  // The answers may be to earlier questions. A partition that they leave open keeps its rule. All of a topic that was
  // created anew is new.
  private def stillPending(topic: TopicOffset, present: Present, anew: Boolean): Option[PendingStart] = {
    val known = if (anew) Set.empty[Int] else starts.awaited(name) ++ undrained
    val open  = (reported(present) ++ known).filterNot(topic.partitions.contains)
    Option.when(open.nonEmpty)(starts.ofPartitions(name, open, input.now, anew, addedSince(topic, present)))
  }

  private def reported(present: Present): Set[Int] =
    (present.obstacle.partitions.keySet ++ present.partitions.keySet).toSet

  // Of a topic that is paused: what appears later was written after it was listed.
  private def pendingWhilePaused: Option[PendingStart] = (seen, held) match {
    case (Some(_: Present), None) if role != Role.Reader => pendingNow
    case (Some(present: Present), None)                  =>
      Some(starts.ofPartitions(name, reported(present) ++ starts.awaited(name), input.now))
    case (Some(present: Present), Some(topic)) if present.isSame(topic) => stillPending(topic, present, anew = false)
    case (Some(Absent), _) | (_, Some(_))                               => pendingBefore
    case _                                                              => pendingNow
  }
}
