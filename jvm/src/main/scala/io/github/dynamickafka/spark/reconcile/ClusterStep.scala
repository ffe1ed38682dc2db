package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{
  ClusterOffset,
  OffsetRuleText,
  PartitionOffset,
  PendingStart,
  Removal,
  TopicOffset
}
import io.github.dynamickafka.spark.options.UnavailableClusterPolicy
import io.github.dynamickafka.spark.reconcile.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.TopicObservation.{Absent, Present}
import io.github.dynamickafka.spark.topology.ListedCluster

/** What one step makes of one cluster: the steps of its listed and of its removed topics, and its own.
  *
  * @param cluster what is held of it from now on
  * @param pending whether it waits for its first contact from now on
  */
final case class ClusterStep(
    cluster: ClusterOffset,
    topics: Map[String, TopicStep],
    pending: Boolean,
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
    seen(id, before, situation) match {
      case Some(Failed(failure))  => unanswered(id, before, listed, failure, situation, policy)
      case Some(answer: Answered) => answered(id, before, listed, answer, situation, policy, owners)
      case None => Right(assemble(before, listed, removedTopics(before, listed, None, situation, policy)))
    }
  }

  /** Another Kafka cluster behind a known id tells nothing about this one: it counts as unavailable. */
  private def seen(id: ClusterId, before: Option[ClusterOffset], situation: Situation): Option[ClusterObservation] =
    situation.seen.get(id).map {
      case Answered(Some(kafka), _) if before.flatMap(_.kafkaId).exists(_ != kafka) =>
        Failed(Failure(
          Condition.ClusterChanged,
          s"Another Kafka cluster answers for $id: its id was ${before.flatMap(_.kafkaId).getOrElse("")} and is $kafka. " +
            "If the address is wrong, mend it; a cluster that was rebuilt needs a new cluster id."
        ))
      case other => other
    }

  private def unanswered(
      id: ClusterId,
      before: Option[ClusterOffset],
      listed: Option[ListedCluster],
      failure: Failure,
      situation: Situation,
      policy: ReconcilePolicy
  ): Either[Failure, ClusterStep] = {
    val expected = listed.exists(_.active)
    if (expected && policy.unavailable == UnavailableClusterPolicy.Fail) Left(failure)
    else {
      val removed = removedTopics(before, listed, None, situation, policy)
      val kept    = listedTopics(before, listed)
      val step    = assemble(before, listed, removed ++ kept)
      val pending = listed.filter(_ => before.isEmpty).map { cluster =>
        PendingStart(
          OffsetRuleText.text(StartingPoints.firstContact(id, situation.held, cluster, policy)),
          situation.now.toEpochMilli
        )
      }
      Right(step.copy(
        cluster = pending.fold(step.cluster)(start => step.cluster.copy(pending = Some(start))),
        pending = pending.isDefined,
        notices = step.notices :+ Notice.Unavailable(id, failure)
      ))
    }
  }

  /** Listed topics of a cluster that did not answer: held as they are, a removal taken back. */
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
    val removed = removedTopics(before, listed, Some(answer), situation, policy)
    val steps   = listed.fold[Either[Failure, Map[String, TopicStep]]](Right(Map.empty)) { cluster =>
      val step = new ListedTopicStep(id, cluster, before, situation, policy, owners)
      cluster.topics.foldLeft[Either[Failure, Map[String, TopicStep]]](Right(Map.empty)) { case (all, (name, stream)) =>
        for {
          done <- all
          here <- step.step(name, stream, answer.topics.get(name))
        } yield done.updated(name, here)
      }
    }
    steps.map { kept =>
      val step = assemble(before, listed, removed ++ kept)
      val met  = before.isEmpty || before.exists(_.pending.isDefined)
      step.copy(
        cluster = step.cluster.copy(kafkaId = step.cluster.kafkaId.orElse(answer.kafkaId), pending = None),
        pending = met && listed.isDefined
      )
    }
  }

  private def removedTopics(
      before: Option[ClusterOffset],
      listed: Option[ListedCluster],
      answer: Option[Answered],
      situation: Situation,
      policy: ReconcilePolicy
  ): Map[String, TopicStep] =
    for {
      (name, topic) <- before.fold(SortedMap.empty[String, TopicOffset])(_.topics)
      if !listed.exists(_.topics.contains(name))
    } yield name -> removedTopic(topic, answer.flatMap(_.topics.get(name)), situation, policy)

  private def removedTopic(
      topic: TopicOffset,
      seen: Option[TopicObservation],
      situation: Situation,
      policy: ReconcilePolicy
  ): TopicStep = {
    // A topic that was deleted, or deleted and created again, has nothing left of what was listed.
    val extents = seen.collect {
      case Present(id, partitions) if !topic.kafkaId.exists(known => id.exists(_ != known)) => partitions
    }
    val gone    = seen.contains(Absent) || (seen.isDefined && extents.isEmpty)
    val removal = RemovedTopic.removal(topic, extents, gone, policy.removal, situation.now)
    val found   = topic.removal.flatMap(_.targets).isEmpty && removal.targets.exists(_.nonEmpty)
    val joined  =
      removal.targets.filter(_ => found).fold(Map.empty[Int, Long])(_.toMap).keySet -- topic.partitions.keySet
    val added = joined.map { partition =>
      val start = extents.get(partition).earliest
      partition -> PartitionOffset(start, start, situation.held.nextIncarnation)
    }
    val now = topic.copy(removal = Some(removal), partitions = topic.partitions ++ added)
    if (RemovedTopic.expired(now, extents.isDefined, policy.removal.retention, situation.now)) TopicStep(None)
    else TopicStep(Some(now), urgent = found, readable = extents.fold(Map.empty[Int, Long])(drainable(now, removal, _)))
  }

  private def drainable(topic: TopicOffset, removal: Removal, extents: Map[Int, Extent]): Map[Int, Long] =
    TopicStep.readable(
      topic,
      partition =>
        for {
          target <- removal.targets.flatMap(_.get(partition))
          extent <- extents.get(partition)
        } yield Math.min(target, extent.latest)
    )

  private def assemble(
      before: Option[ClusterOffset],
      listed: Option[ListedCluster],
      topics: Map[String, TopicStep]
  ): ClusterStep = {
    val held = before.getOrElse(ClusterOffset(None, SortedMap.empty))
    ClusterStep(
      cluster = held.copy(
        topics = topics.flatMap { case (name, step) => step.topic.map(name -> _) }.to(SortedMap),
        endings = listed.flatMap(_.endingOffsets).map(_.text)
      ),
      topics = topics,
      pending = false,
      notices = topics.toVector.sortBy(_._1).flatMap(_._2.notices)
    )
  }
}
