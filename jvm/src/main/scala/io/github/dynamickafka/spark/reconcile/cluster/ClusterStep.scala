package io.github.dynamickafka.spark.reconcile.cluster

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, Drain, PendingStart, Removal, Retention, TopicOffset}
import io.github.dynamickafka.spark.reconcile.StepContext
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.report.{Notice, SkippedTopics}
import io.github.dynamickafka.spark.reconcile.succession.Role
import io.github.dynamickafka.spark.reconcile.topic.{
  Endings,
  ListedTopicStep,
  RemovedTopicStep,
  StartingPoints,
  TopicStep
}
import io.github.dynamickafka.spark.topology.ListedCluster

/** What one step makes of one cluster: the steps of its listed and of its removed topics, and its own.
  *
  * @param cluster what is held of it from now on
  * @param failure why the query can't go on, once that counts: the cluster, or topics of it that the query needs, can't be
  *                read
  */
final case class ClusterStep(
    cluster: ClusterOffset,
    topics: SortedMap[String, TopicStep],
    notices: Vector[Notice],
    failure: Option[Failure] = None
)

/** Takes that step. */
final private[reconcile] class ClusterStepping(id: ClusterId, context: StepContext) {
  import context.{input, policy}

  private val before = input.held.clusters.get(id)
  private val listed = input.topology.clusters.get(id)
  private val topics = context.handOver.topics(id, before.fold(SortedMap.empty[String, TopicOffset])(_.topics))
  private val starts = listed.map(new StartingPoints(id, _, input.basis, policy))
  private val needed = policy.needs(id, input.roles)
  private val counts = needed && input.confirmed

  def step: Either[Failure, ClusterStep] = input.recognised.get(id) match {
    case Some(Failed(failure)) if counts => Left(failure)
    case Some(Failed(failure))           =>
      Right(unanswered(Some(if (needed) failure.doubted else failure)).copy(failure =
        Some(failure).filter(_ => needed)
      ))
    case Some(Silent(report))   => Right(unanswered(report))
    case Some(answer: Answered) => answered(answer)
    case None                   => Right(unasked)
  }

  private def unasked: ClusterStep = {
    val step         = assemble(asTheyAre, endings)
    val neverReached = listed.isEmpty && before.exists(held => held.pending.isDefined && held.removed.isEmpty)
    if (neverReached && continuing.isEmpty) step.copy(notices = step.notices :+ Notice.NeverReached(id)) else step
  }

  /** @param report why it did not answer, if that is known */
  private def unanswered(report: Option[Failure]): ClusterStep = {
    // The ends that are held belong to the text they were resolved from.
    val step    = assemble(asTheyAre, endings)
    val pending = starts.filter(_ => before.isEmpty).map(_.ofCluster(input.now)).orElse(step.cluster.pending)
    step.copy(
      cluster = step.cluster.copy(pending = pending),
      notices = step.notices ++ report.map(Notice.Unavailable(id, _))
    )
  }

  private def answered(answer: Answered): Either[Failure, ClusterStep] = stepped(listedTopics).map { listedSteps =>
    val step   = assemble(listedSteps, endings)
    val alone  = skipped(step.topics)
    val wanted = skipped(listedSteps).failure.filter(_ => needed)
    step.copy(
      cluster = step.cluster.copy(
        kafkaId = step.cluster.kafkaId.orElse(answer.kafkaId.filter(_ => begun(step.cluster) && compared(step))),
        pending = None
      ),
      notices = step.notices ++
        alone.failure.map(why => Notice.skipped(alone, if (wanted.isDefined) why.doubted else why)),
      failure = wanted
    )
  }

  // Until something has begun, Kafka's id is not held: a wrong address may still be corrected.
  private def begun(now: ClusterOffset): Boolean = now.topics.nonEmpty ||
    listed.exists(_.topics.keysIterator.exists(input.roles.of(id, _) != Role.Reader))

  // Positions that were taken over from Spark's own source have no id of Kafka's. Until all of them are known to be no other
  // id's, none is held.
  private def compared(now: ClusterStep): Boolean = !before.exists(_.adopted) ||
    now.topics.forall { case (name, step) =>
      def topicId = input.recognised.get(id).flatMap(_.present(name)).flatMap(_.kafkaId)
      step.duplicate.isEmpty &&
      (!input.topology.pauses(id, name) || context.duplicates.other(id, name, topicId, None).isEmpty)
    }

  private type TopicSteps = SortedMap[String, TopicStep]

  private def listedTopics: SortedMap[String, ListedTopicStep] =
    listed.zip(starts).fold(SortedMap.empty[String, ListedTopicStep]) { case (cluster, begin) =>
      cluster.topics.transform((name, _) => new ListedTopicStep(TopicId(id, name), topics.get(name), begin, context))
    }

  private def asTheyAre: TopicSteps = listedTopics.transform((_, topic) => topic.unanswered)

  private def stepped(topics: SortedMap[String, ListedTopicStep]): Either[Failure, TopicSteps] =
    topics.foldLeft[Either[Failure, TopicSteps]](Right(SortedMap.empty)) { case (all, (name, topic)) =>
      all.flatMap(done => topic.step.map(done.updated(name, _)))
    }

  private def removedTopics: TopicSteps =
    topics.filterNot { case (name, _) => input.topology.lists(id, name) }.transform { (name, topic) =>
      def removed = new RemovedTopicStep(TopicId(id, name), topic, context)
      input.roles.successor(id, name) match {
        case Some(next)                              => TopicStep(Some(listedUnder(next, name, topic)))
        case None if input.topology.pauses(id, name) => removed.paused
        case None                                    => removed.step
      }
    }

  // Retention counts from when the log is listed no more. On the same Kafka cluster it drains anew then, and the removal
  // is over once that shows the same topic.
  private def listedUnder(next: ClusterId, name: String, topic: TopicOffset): TopicOffset = {
    val same  = input.kafkaId(id).exists(input.kafkaId(next).contains(_))
    val shown = same && input.recognised.get(next).flatMap(_.present(name)).exists(_.isSame(topic))
    // Partitions that first appeared while it was off the list, and have not begun.
    val undrained = topic.removal.fold(Set.empty[Int])(_.unknown) -- topic.partitions.keySet
    topic.copy(removal =
      topic.removal.filterNot(_ => shown && undrained.isEmpty).map { known =>
        if (!same) known.lastListed(input.now.toEpochMilli)
        else if (undrained.isEmpty) known.again
        else Removal.Draining(
          Math.max(known.at, input.now.toEpochMilli),
          (topic.partitions.keySet ++ undrained).iterator.map(_ -> (Drain.Unknown: Drain.Unread)).to(SortedMap)
        )
      }
    )
  }

  private def skipped(steps: TopicSteps): SkippedTopics =
    SkippedTopics.of(id, steps.transform((_, step) => step.obstacle))

  // While the cluster is not listed, the text stays.
  private def endings: Option[String] = listed.fold(before.flatMap(_.endings))(_.endingOffsets.map(_.text))

  /** @param endings the text of its ending offsets from now on */
  private def assemble(listedSteps: TopicSteps, endings: Option[String]): ClusterStep = {
    val held    = before.getOrElse(ClusterOffset(None, SortedMap.empty))
    val removed = removedTopics.transform((name, step) =>
      step.copy(topic = step.topic.map(Endings.kept(_, name, before, endings)))
    )
    val steps   = removed ++ listedSteps
    val unbegun = unbegunOf(held)
    val kept    = steps.flatMap { case (name, step) => step.topic.map(name -> _) }
    ClusterStep(
      cluster = held.copy(
        topics = kept,
        endings = endings,
        // A topic keeps its rule while it is not listed, or another id continues it. If it is dropped, it returns as
        // new. If it is handed over, so is its rule.
        pendingTopics = held.pendingTopics.filterNot { case (name, _) =>
          listedSteps.contains(name) || removed.get(name).exists(_.topic.isEmpty) ||
          context.handOver.changed.get(id -> name).contains(None)
        } -- unbegun.keySet ++
          unbegun.filterNot { case (_, start) => Retention.expired(start, policy.removal.retention, input.now) } ++
          listedSteps.flatMap { case (name, step) => step.pending.map(start => name -> start.copy(removed = None)) },
        removed = Option.when(listed.isEmpty && kept.isEmpty)(held.removed.getOrElse(removedSince(held)))
      ),
      topics = steps,
      notices = steps.valuesIterator.flatMap(_.notices).toVector ++ duplicates(steps) ++
        unbegun.iterator.collect {
          case (name, start) if start.removed.isDefined && held.pendingTopics(name).removed.isEmpty =>
            Notice.NeverBegun(TopicId(id, name))
        }
    )
  }

  /** The starting rules of topics that are not listed any more, and of which nothing has begun. Their retention counts as that
    * of positions does: not while they are paused, or another id continues them. Of a cluster that was never reached, the
    * whole cluster is warned of, and kept.
    */
  private def unbegunOf(held: ClusterOffset): SortedMap[String, PendingStart] = {
    val whole = listed.isEmpty && held.pending.isDefined && continuing.isEmpty
    held.pendingTopics.collect {
      case (name, start)
          if !topics.contains(name) && !input.topology.lists(
            id,
            name
          ) && !context.handOver.changed.contains(id -> name) &&
            !(whole && start.removed.isEmpty) =>
        val waits = input.topology.pauses(id, name) || continuing.exists(_.topics.contains(name))
        name -> start.copy(removed = Option.unless(waits)(start.removed.getOrElse(input.now.toEpochMilli)))
    }
  }

  private def continuing: Iterator[ListedCluster] = input.topology.clusters.valuesIterator.filter(_.continues(id))

  /** For a cluster of which no topic is held any more: since when the metadata does not list it. It stays known until its
    * retention ends. A topic that appears on it before that begins as on a known cluster.
    */
  private def removedSince(held: ClusterOffset): Long = {
    val now = input.now.toEpochMilli
    held.topics.valuesIterator.map(_.removal match {
      case None | Some(_: Removal.ListedAgain) => now
      case Some(removal)                       => removal.at
    }).maxOption.getOrElse(now)
  }

  /** One notice for each other id. */
  private def duplicates(steps: TopicSteps): Vector[Notice] = {
    val others = steps.toVector.flatMap { case (name, step) => step.duplicate.map(_ -> name) }
    others.groupMap(_._1)(_._2).toVector.sortBy(_._1).map { case (of, names) => Notice.Duplicate(id, of, names) }
  }
}
