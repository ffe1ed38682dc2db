package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, OffsetRuleText, PendingStart, TopicOffset}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.topology.ListedCluster

/** What one step makes of one cluster: the steps of its listed and of its removed topics, and its own.
  *
  * @param cluster what is held of it from now on
  * @param pending whether it waits for its first contact from now on
  * @param met whether this was its first contact
  */
final case class ClusterStep(
    cluster: ClusterOffset,
    topics: Map[String, TopicStep],
    pending: Boolean,
    met: Boolean,
    notices: Vector[Notice]
)

object ClusterStep {

  def of(
      id: ClusterId,
      situation: Situation,
      policy: ReconcilePolicy,
      owners: TopicOwners
  ): Either[Failure, ClusterStep] = {
    val before = situation.held.clusters.get(id)
    val listed = situation.topology.clusters.get(id)
    situation.seen.get(id).map(KnownCluster.answering(id, before, _)) match {
      case Some(Failed(failure))  => unanswered(id, before, listed, failure, situation, policy)
      case Some(answer: Answered) => answered(id, before, listed, answer, situation, policy, owners)
      case None                   =>
        val removed = removedTopics(id, before, listed, None, situation, policy, over = None)
        val step    = assemble(before, listed, removed ++ listedTopics(before, listed), situation.now)
        Right(neverReached(id, before, listed, step))
    }
  }

  private def unanswered(
      id: ClusterId,
      before: Option[ClusterOffset],
      listed: Option[ListedCluster],
      failure: Failure,
      situation: Situation,
      policy: ReconcilePolicy
  ): Either[Failure, ClusterStep] =
    if (policy.needs(listed)) Left(failure)
    else {
      val over    = DrainTries.over(id, failure, situation, policy)
      val removed = removedTopics(id, before, listed, None, situation, policy, over)
      val step    = assemble(before, listed, removed ++ listedTopics(before, listed), situation.now)
      val pending = listed.filter(_ => before.isEmpty).map { cluster =>
        val rule = StartingPoints.firstContact(id, situation.held, cluster, policy)
        PendingStart(OffsetRuleText.text(rule), situation.now.toEpochMilli)
      }
      Right(step.copy(
        cluster = step.cluster.copy(
          pending = pending.orElse(step.cluster.pending),
          // The ends that are held belong to the text they were resolved from.
          endings = before.flatMap(_.endings)
        ),
        pending = pending.isDefined,
        notices = step.notices :+ Notice.Unavailable(id, failure)
      ))
    }

  private def neverReached(
      id: ClusterId,
      before: Option[ClusterOffset],
      listed: Option[ListedCluster],
      step: ClusterStep
  ): ClusterStep =
    if (listed.isDefined || !before.exists(held => held.pending.isDefined && held.removed.isEmpty)) step
    else step.copy(notices = step.notices :+ Notice.NeverReached(id))

  /** Listed topics of a cluster that did not answer, or was not asked: held as they are, a removal taken back. */
  private def listedTopics(before: Option[ClusterOffset], listed: Option[ListedCluster]): Map[String, TopicStep] =
    for {
      (name, topic) <- before.fold(SortedMap.empty[String, TopicOffset])(_.topics)
      stream        <- listed.flatMap(_.topics.get(name))
    } yield name -> TopicStep(Some(topic.copy(stream = stream, removal = None)))

  private def answered(
      id: ClusterId,
      before: Option[ClusterOffset],
      listed: Option[ListedCluster],
      answer: Answered,
      situation: Situation,
      policy: ReconcilePolicy,
      owners: TopicOwners
  ): Either[Failure, ClusterStep] = {
    val listedSteps = listed.fold[Either[Failure, Map[String, TopicStep]]](Right(Map.empty)) { cluster =>
      val step = new ListedTopicStep(id, cluster, before, situation, policy, owners)
      each(cluster.topics)((name, stream) => step.step(name, stream, answer.topics.get(name)))
    }
    listedSteps.map { kept =>
      val removed = removedTopics(id, before, listed, Some(answer), situation, policy, over = None)
      val step    = assemble(before, listed, endless(before, listed, removed) ++ kept, situation.now)
      val met     = before.isEmpty || before.exists(_.pending.isDefined)
      step.copy(
        cluster = step.cluster.copy(kafkaId = step.cluster.kafkaId.orElse(answer.kafkaId), pending = None),
        met = met && listed.isDefined
      )
    }
  }

  /** Ends do not outlive the text that they were resolved from. */
  private def endless(
      before: Option[ClusterOffset],
      listed: Option[ListedCluster],
      removed: Map[String, TopicStep]
  ): Map[String, TopicStep] =
    if (listed.forall(cluster => before.flatMap(_.endings) == cluster.endingOffsets.map(_.text))) removed
    else removed.map { case (name, step) =>
      name -> step.copy(topic = step.topic.map(_.copy(ends = SortedMap.empty)))
    }

  private def removedTopics(
      id: ClusterId,
      before: Option[ClusterOffset],
      listed: Option[ListedCluster],
      answer: Option[Answered],
      situation: Situation,
      policy: ReconcilePolicy,
      over: Option[Failure]
  ): Map[String, TopicStep] = {
    val step = new RemovedTopicStep(id, situation, policy, over)
    val gone = before.fold(SortedMap.empty[String, TopicOffset])(_.topics).filterNot { case (name, _) =>
      listed.exists(_.topics.contains(name))
    }
    gone.map { case (name, topic) => name -> step.step(name, topic, answer.flatMap(_.topics.get(name))) }
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

  private def assemble(
      before: Option[ClusterOffset],
      listed: Option[ListedCluster],
      topics: Map[String, TopicStep],
      now: Instant
  ): ClusterStep = {
    val held = before.getOrElse(ClusterOffset(None, SortedMap.empty))
    val kept = topics.flatMap { case (name, step) => step.topic.map(name -> _) }.to(SortedMap)
    // Its topics tell since when they are not listed; one without any must tell itself, or a gap of one poll would
    // make it a new cluster.
    val alone = listed.isEmpty && held.topics.isEmpty
    ClusterStep(
      cluster = held.copy(
        topics = kept,
        // A gap in the listing is no other text.
        endings = listed.fold(held.endings)(_.endingOffsets.map(_.text)),
        removed = if (alone) held.removed.orElse(Some(now.toEpochMilli)) else None
      ),
      topics = topics,
      pending = false,
      met = false,
      notices = topics.toVector.sortBy(_._1).flatMap(_._2.notices)
    )
  }
}
