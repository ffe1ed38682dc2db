package io.github.dynamickafka.spark.reconcile.topic

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, Removal, TopicOffset}
import io.github.dynamickafka.spark.reconcile.StepContext
import io.github.dynamickafka.spark.reconcile.cluster.{DrainTries, Retention}
import io.github.dynamickafka.spark.reconcile.observed.{Extent, Hindrance, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Failed, Silent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Hidden, Present}
import io.github.dynamickafka.spark.reconcile.report.{HeldTopics, Notice}

/** One step of a topic that the metadata does not list any more: it drains up to its targets, is kept for its retention,
  * and then forgotten. It never fails the query.
  *
  * @param over why its cluster is tried no longer, if it is not
  */
final class RemovedTopicStep(cluster: ClusterId, context: StepContext, over: Option[Failure]) {
  import context.{policy, situation}

  def step(name: String, topic: TopicOffset, seen: Option[TopicObservation]): TopicStep = {
    val present = seen.collect { case present: Present if !present.isAnother(topic) => present }
    val extents = present.map(_.partitions)
    // A topic that was deleted, or deleted and created again, has nothing left of what was listed.
    val gone = seen.exists {
      case Hidden     => false
      case Absent     => situation.known.doubts.deleted(cluster, name, policy.agreement)
      case _: Present => present.isEmpty
    }
    val ends    = extents.flatMap(ended(name, _))
    val removal = RemovedTopic.removal(
      topic.copy(ends = ends.getOrElse(topic.ends)),
      extents.filter(_ => ends.isDefined),
      policy.removal,
      situation.now
    )
    // A drain that still reads may finish. A cluster that is silent for long has failed.
    val silent = situation.seen.get(cluster).exists(_.isInstanceOf[Silent])
    val now    = joined(topic.copy(removal = Some(removal)), removal, extents)
    // Its positions are of no use: what comes back under this name is another topic.
    if (gone) TopicStep(None)
    else if (Retention.expired(now, extents.isDefined || silent, policy.removal.retention, situation.now))
      forgotten(name, now)
    else {
      val hindrance = seen.fold(Hindrance.none)(_.hindrance)
      val why       = over.orElse(overAlone(name, hindrance))
      extents.filterNot(_ => why.isDefined && stuck(now, removal, hindrance))
        .fold(unreached(name, now, removal, why, hindrance))(drained(name, now, removal, _, hindrance))
    }
  }

  /** Why a topic that is held alone is tried no longer, if it is not. */
  private def overAlone(name: String, hindrance: Hindrance): Option[Failure] =
    HeldTopics(cluster, SortedMap(name -> hindrance)).failure.flatMap { failure =>
      val failed = situation.known.heldFor(cluster, name, situation.now)
      DrainTries.over(cluster, failure, failed, situation, policy)
    }

  /** What holds up the drain. */
  private def left(topic: TopicOffset, removal: Removal, hindrance: Hindrance): Hindrance =
    if (hindrance.isEmpty || !RemovedTopic.drains(topic, removal)) Hindrance.none
    else hindrance.of(partition => open(topic, removal, partition))

  /** Whether nothing of what is left to drain can be read. */
  private def stuck(topic: TopicOffset, removal: Removal, hindrance: Hindrance): Boolean =
    hindrance.nonEmpty && (removal match {
      case Removal.Until(_, targets) =>
        targets.keysIterator.forall(partition => hindrance.holds(partition) || !open(topic, removal, partition))
      case _ => true
    })

  /** Whether a partition has something left to drain, or may have. */
  private def open(topic: TopicOffset, removal: Removal, partition: Int): Boolean = removal match {
    case Removal.Until(_, targets) =>
      targets.get(partition).exists(end => topic.partitions.get(partition).forall(_.next < end))
    case _ => true
  }

  private def ended(name: String, extents: Map[Int, Extent]): Option[SortedMap[Int, Long]] =
    situation.held.clusters.get(cluster).flatMap(Endings.atRemoval(cluster, name, _, extents, situation.answers))

  /** A partition that has a target and was not held yet begins at its first record. */
  private def joined(topic: TopicOffset, removal: Removal, extents: Option[Map[Int, Extent]]): TopicOffset = {
    val added = for {
      targets             <- RemovedTopicStep.targets(removal).toVector
      known               <- extents.toVector
      (partition, extent) <- known
      if targets.contains(partition) && !topic.partitions.contains(partition)
    } yield partition -> PartitionOffset(extent.earliest, extent.earliest, situation.held.nextIncarnation)
    topic.copy(partitions = topic.partitions ++ added)
  }

  private def drained(
      name: String,
      topic: TopicOffset,
      removal: Removal,
      extents: Map[Int, Extent],
      hindrance: Hindrance
  ): TopicStep = {
    val targets                              = RemovedTopicStep.targets(removal)
    def target(partition: Int): Option[Long] = targets.map(_.getOrElse(partition, 0L))
    val aged                                 = AgedOut.passOver(cluster, name, topic, extents, target)
    val readable                             = TopicStep.readable(
      aged.topic,
      partition =>
        for {
          until  <- target(partition) if !hindrance.holds(partition)
          extent <- extents.get(partition)
        } yield Math.min(until, extent.latest)
    )
    val heldBack = (for {
      (partition, held) <- aged.topic.partitions.iterator
      until             <- target(partition)
      extent            <- extents.get(partition)
    } yield Math.max(0L, until - Math.max(extent.latest, held.next))).sum
    TopicStep(Some(aged.topic), readable, aged.notices, heldBack, hindrance = left(aged.topic, removal, hindrance))
  }

  /** Held as it is; a drain that is tried no longer has read what it will. */
  private def unreached(
      name: String,
      topic: TopicOffset,
      removal: Removal,
      over: Option[Failure],
      hindrance: Hindrance
  ): TopicStep = {
    val held = TopicStep(Some(topic), hindrance = left(topic, removal, hindrance))
    over.filter(_ => RemovedTopic.drains(topic, removal)).fold(held) { why =>
      val ended = topic.copy(removal = Some(Removal.stopped(removal.at)))
      TopicStep(Some(ended), notices = Vector(abandoned(name, topic, why)))
    }
  }

  private def forgotten(name: String, topic: TopicOffset): TopicStep =
    if (!topic.removal.exists(RemovedTopic.drains(topic, _))) TopicStep(None)
    else {
      val failed = situation.seen.get(cluster).collect { case Failed(failure) => failure }
      val why    = failed.getOrElse(Failure(Condition.ClusterNotListed, "Nobody knows how to reach it."))
      val last   = why.copy(detail = s"removedClusterRetention is over, and its positions are forgotten. ${why.detail}")
      TopicStep(None, notices = Vector(abandoned(name, topic, last)))
    }

  private def abandoned(name: String, topic: TopicOffset, why: Failure): Notice =
    Notice.Abandoned(cluster, name, situation.known.lag(cluster, name, topic), why)
}

private object RemovedTopicStep {

  /** How far a drain reads, if that is known. */
  def targets(removal: Removal): Option[SortedMap[Int, Long]] = removal match {
    case Removal.Until(_, targets) => Some(targets)
    case _                         => None
  }
}
