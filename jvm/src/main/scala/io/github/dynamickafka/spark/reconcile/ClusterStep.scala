package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, OffsetRuleText, PendingStart, Removal, TopicOffset}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.{Answered, Failed, Silent}
import io.github.dynamickafka.spark.topology.ListedCluster

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
)

object ClusterStep {
  def of(
      id: ClusterId,
      situation: Situation,
      policy: ReconcilePolicy,
      owners: TopicOwners
  ): Either[Failure, ClusterStep] = new ClusterStepping(id, situation, policy, owners).step
}

/** Takes that step. */
final private class ClusterStepping(
    id: ClusterId,
    situation: Situation,
    policy: ReconcilePolicy,
    owners: TopicOwners
) {
  private val before: Option[ClusterOffset] = situation.held.clusters.get(id)
  private val listed: Option[ListedCluster] = situation.topology.clusters.get(id)

  def step: Either[Failure, ClusterStep] = situation.seen.get(id).map(KnownCluster.answering(id, before, _)) match {
    case Some(Failed(failure)) if policy.needs(listed) && situation.verdict == Verdict.Final => Left(failure)
    case Some(Failed(failure))                                                               =>
      val over = DrainTries.over(id, failure, situation, policy, owners.renamed(id, situation))
      Right(unanswered(over, Some(if (policy.needs(listed)) failure.doubted else failure)))
    case Some(Silent(report))   => Right(unanswered(over = None, report))
    case Some(answer: Answered) => answered(answer)
    case None                   => Right(unasked)
  }

  private def unasked: ClusterStep = {
    val step         = assemble(removedTopics(None, over = None) ++ listedTopics(over = None, _ => None))
    val neverReached = listed.isEmpty && before.exists(held => held.pending.isDefined && held.removed.isEmpty)
    if (neverReached) step.copy(notices = step.notices :+ Notice.NeverReached(id)) else step
  }

  /** @param over why drains are tried no longer, if they are not
    * @param report why it did not answer, if that is known
    */
  private def unanswered(over: Option[Failure], report: Option[Failure]): ClusterStep = {
    val again   = RemovedTopic.listedAgain(policy.removal, situation.now)(_)
    val step    = assemble(removedTopics(None, over) ++ listedTopics(over, removal => Some(again(removal))))
    val pending = listed.filter(_ => before.isEmpty).map { cluster =>
      val rule = StartingPoints.firstContact(id, situation.held, cluster, policy)
      PendingStart(OffsetRuleText.text(rule), situation.now.toEpochMilli)
    }
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
      val step = new ListedTopicStep(id, cluster, before, situation, policy, owners)
      each(cluster.topics)((name, stream) => step.step(name, stream, answer.topics.get(name)))
    }
    kept.map { topics =>
      val step = assemble(endless(removedTopics(Some(answer), over = None)) ++ topics)
      val met  = listed.isDefined && before.forall(_.pending.isDefined)
      step.copy(
        cluster = step.cluster.copy(kafkaId = step.cluster.kafkaId.orElse(answer.kafkaId), pending = None),
        met = met
      )
    }
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

  /** Listed topics of a cluster that did not answer, or was not asked: held as they are, unless another id has taken the
    * topic over.
    *
    * @param over why drains are tried no longer, if they are not
    * @param again what becomes of the removal of a topic that is listed again
    */
  private def listedTopics(over: Option[Failure], again: Removal => Option[Removal]): Map[String, TopicStep] =
    for {
      (name, topic) <- before.fold(SortedMap.empty[String, TopicOffset])(_.topics)
      cluster       <- listed
      stream        <- cluster.topics.get(name)
    } yield name -> (TopicClaim.of(id, cluster, name, Some(topic), topic.kafkaId, situation, owners) match {
      case TopicClaim.Own =>
        TopicStep(Some(topic.copy(stream = stream, removal = topic.removal.flatMap(again))))
      case _ => new RemovedTopicStep(id, situation, policy, owners, over).step(name, topic, None)
    })

  private def removedTopics(answer: Option[Answered], over: Option[Failure]): Map[String, TopicStep] = {
    val step = new RemovedTopicStep(id, situation, policy, owners, over)
    val gone = before.fold(SortedMap.empty[String, TopicOffset])(_.topics).filterNot { case (name, _) =>
      listed.exists(_.topics.contains(name))
    }
    gone.map { case (name, topic) => name -> step.step(name, topic, answer.flatMap(_.topics.get(name))) }
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
    def since = held.topics.valuesIterator.map(_.removal.filterNot(_.over).fold(situation.now.toEpochMilli)(_.at))
    ClusterStep(
      cluster = held.copy(
        topics = kept,
        // A gap in the listing is no other text.
        endings = listed.fold(held.endings)(_.endingOffsets.map(_.text)),
        removed = if (alone) held.removed.orElse(since.maxOption).orElse(Some(situation.now.toEpochMilli)) else None
      ),
      topics = topics,
      met = false,
      notices = topics.toVector.sortBy(_._1).flatMap(_._2.notices)
    )
  }
}
