package io.github.dynamickafka.spark.reconcile.cluster

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, Removal, TopicOffset}
import io.github.dynamickafka.spark.reconcile.{StepContext, Verdict}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.reconcile.report.{HeldTopics, Notice}
import io.github.dynamickafka.spark.reconcile.succession.Role
import io.github.dynamickafka.spark.reconcile.topic.{ListedTopicStep, RemovedTopic, RemovedTopicStep, TopicStep}
import io.github.dynamickafka.spark.topology.{ListedCluster, Pause}

/** What one step makes of one cluster: the steps of its listed and of its removed topics, and its own.
  *
  * @param cluster what is held of it from now on
  * @param met whether this was its first contact
  */
final case class ClusterStep(
    cluster: ClusterOffset,
    topics: Map[String, TopicStep],
    met: Boolean,
    notices: Vector[Notice]
) {

  /** What is held alone of the topics that are to be read here. */
  def needed(listed: Option[ListedCluster], id: ClusterId): HeldTopics =
    HeldTopics.of(
      id,
      topics.filter { case (name, step) =>
        step.duplicate.isEmpty && listed.exists(_.topics.contains(name))
      }
    )
}

object ClusterStep {
  def of(id: ClusterId, context: StepContext): Either[Failure, ClusterStep] = new ClusterStepping(id, context).step
}

/** Takes that step. */
final private class ClusterStepping(id: ClusterId, context: StepContext) {
  import context.{policy, situation}

  private val before: Option[ClusterOffset]          = situation.held.clusters.get(id)
  private val listed: Option[ListedCluster]          = situation.topology.clusters.get(id)
  private val topics: SortedMap[String, TopicOffset] =
    context.handOver.topics(id, before.fold(SortedMap.empty[String, TopicOffset])(_.topics))
  private val pause: Pause    = listed.fold(Pause.none)(_.pause)
  private val needed: Boolean = policy.needs(id, situation.topology, context.roles)

  def step: Either[Failure, ClusterStep] = situation.recognised.get(id) match {
    case Some(Failed(failure)) if needed && situation.verdict == Verdict.Final => Left(failure)
    case Some(Failed(failure))                                                 =>
      val failed = situation.known.failing.time(id, situation.now)
      val over   = DrainTries.over(id, failure, failed, situation, policy)
      Right(unanswered(over, Some(if (needed) failure.doubted else failure)))
    case Some(Silent(report))   => Right(unanswered(over = None, report))
    case Some(answer: Answered) => answered(answer)
    case None                   => Right(unasked)
  }

  private def unasked: ClusterStep = {
    val step         = assemble(removedTopics(None, over = None) ++ listedTopics(listedAgain = false))
    val neverReached = listed.isEmpty && before.exists(held => held.pending.isDefined && held.removed.isEmpty)
    val continued    = situation.topology.clusters.valuesIterator.exists(_.continues(id))
    if (neverReached && !continued) step.copy(notices = step.notices :+ Notice.NeverReached(id)) else step
  }

  /** @param over why drains are tried no longer, if they are not
    * @param report why it did not answer, if that is known
    */
  private def unanswered(over: Option[Failure], report: Option[Failure]): ClusterStep = {
    val step    = assemble(removedTopics(None, over) ++ listedTopics(listedAgain = true))
    val pending = listed.filter(_ => before.isEmpty).map(
      StartingPoints.pending(id, situation.held, _, policy, situation.now)
    )
    step.copy(
      cluster = step.cluster.copy(
        pending = pending.orElse(step.cluster.pending),
        // The ends that are held belong to the text they were resolved from.
        endings = before.flatMap(_.endings)
      ),
      notices = step.notices ++ report.map(Notice.Unavailable(id, _))
    )
  }

  private def answered(answer: Answered): Either[Failure, ClusterStep] = {
    val kept = listed.fold[Either[Failure, Map[String, TopicStep]]](Right(Map.empty)) { cluster =>
      val step = new ListedTopicStep(id, cluster, before, topics, context)
      each(cluster.topics)((name, stream) => step.step(name, stream, answer.topics.get(name)))
    }
    kept.map { topics =>
      val step   = assemble(endless(removedTopics(Some(answer), over = None)) ++ topics)
      val met    = listed.isDefined && before.forall(_.pending.isDefined)
      val unread = topics.flatMap { case (name, here) => here.unread.map(name -> _) }.to(SortedMap)
      step.copy(
        cluster = step.cluster.copy(
          kafkaId = step.cluster.kafkaId.orElse(answer.kafkaId),
          pending = None,
          unread = unread
        ),
        met = met,
        notices = step.notices ++ heldAlone(topics, step)
      )
    }
  }

  private def heldAlone(topics: Map[String, TopicStep], step: ClusterStep): Option[Notice] = {
    val held    = HeldTopics.of(id, step.topics)
    val doubted = needed && HeldTopics.of(id, topics).topics.nonEmpty
    held.failure.map(failure => Notice.HeldAlone(held, if (doubted) failure.doubted else failure))
  }

  private def each[A](topics: SortedMap[String, A])(
      step: (String, A) => Either[Failure, TopicStep]
  ): Either[Failure, Map[String, TopicStep]] =
    topics.foldLeft[Either[Failure, Map[String, TopicStep]]](Right(Map.empty)) { case (all, (name, topic)) =>
      for {
        done <- all
        here <- step(name, topic)
      } yield done.updated(name, here)
    }

  /** Listed topics of a cluster that did not answer, or was not asked: held as they are.
    *
    * @param listedAgain whether the removal of those that were removed is over
    */
  private def listedTopics(listedAgain: Boolean): Map[String, TopicStep] =
    for {
      (name, topic) <- topics
      stream        <- listed.flatMap(_.topics.get(name))
      removal = if (listedAgain) topic.removal.map(RemovedTopic.listedAgain) else None
    } yield name -> (context.roles.of(id, name) match {
      case _: Role.Standby => TopicStep(None)
      case _               => TopicStep(Some(topic.copy(stream = stream, removal = removal)))
    })

  private def removedTopics(answer: Option[Answered], over: Option[Failure]): Map[String, TopicStep] = {
    val step = new RemovedTopicStep(id, context, over)
    val gone = topics.filterNot { case (name, _) => listed.exists(_.topics.contains(name)) }
    gone.map { case (name, topic) =>
      // What another id is to go on with waits for it.
      val waits = pause.holds(name) || context.roles.successor(id, name).isDefined
      name -> (if (waits) TopicStep(Some(topic)) else step.step(name, topic, answer.flatMap(_.topics.get(name))))
    }
  }

  /** Ends do not outlive the text that they were resolved from. */
  private def endless(removed: Map[String, TopicStep]): Map[String, TopicStep] =
    if (listed.forall(cluster => before.flatMap(_.endings) == cluster.endingOffsets.map(_.text))) removed
    else removed.map { case (name, step) =>
      name -> step.copy(topic = step.topic.map(_.copy(ends = SortedMap.empty)))
    }

  private def assemble(topics: Map[String, TopicStep]): ClusterStep = {
    val held = before.getOrElse(ClusterOffset(None, SortedMap.empty))
    val kept = topics.flatMap { case (name, step) => step.topic.map(name -> _) }.to(SortedMap)
    // Its topics say since when they are not listed. One without any must say so itself: what appears on it later begins
    // as it does on a known cluster, though its topics were deleted meanwhile, or have never been there.
    val alone = listed.isEmpty && kept.isEmpty
    def since = held.topics.valuesIterator.map(_.removal match {
      case None | Some(_: Removal.ListedAgain) => situation.now.toEpochMilli
      case Some(removal)                       => removal.at
    })
    ClusterStep(
      cluster = held.copy(
        topics = kept,
        // A gap in the listing is no other text.
        endings = listed.fold(held.endings)(_.endingOffsets.map(_.text)),
        unread = held.unread.filter { case (name, _) => listed.exists(_.topics.contains(name)) },
        removed = if (alone) held.removed.orElse(since.maxOption).orElse(Some(situation.now.toEpochMilli)) else None
      ),
      topics = topics,
      met = false,
      notices =
        topics.toVector.sortBy(_._1).flatMap(_._2.notices) ++ context.handOver.notices.getOrElse(id, Vector.empty)
    )
  }
}
