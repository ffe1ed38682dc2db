package io.github.dynamickafka.spark.reconcile.topic

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.TopicId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, Removal, TopicOffset}
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.reconcile.StepContext
import io.github.dynamickafka.spark.reconcile.cluster.{DrainTries, Retention}
import io.github.dynamickafka.spark.reconcile.observed.{Extent, ReadObstacle}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Failed, Silent}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Hidden, Present}
import io.github.dynamickafka.spark.reconcile.report.{HeldTopics, Notice}

/** One step of a topic that the metadata does not list any more. It drains up to its targets, is then kept for its
  * retention, and is forgotten after that. It never fails the query.
  *
  * @param held what is held of it
  * @param over why drains of its cluster are given up, if they are
  */
final class RemovedTopicStep(id: TopicId, held: TopicOffset, over: Option[Failure], context: StepContext) {
  import context.{input, policy}
  import id.name

  private val cluster  = input.recognised.get(id.cluster)
  private val seen     = cluster.flatMap(_.topic(name))
  private val obstacle = seen.fold(ReadObstacle.none)(_.obstacle)

  /** What its partitions hold, if it is still the same topic. */
  private val extents: Option[Map[Int, Extent]] =
    seen.collect { case present: Present if !present.isAnother(held) => present.partitions }

  private val removal: Removal = held.removal match {
    case Some(known: Removal.Until) => known
    case Some(Removal.Open(since))  => drain(since)
    // A topic that was listed again is a new removal, with a new retention.
    case Some(_: Removal.ListedAgain) | None =>
      val now = input.now.toEpochMilli
      if (policy.removal.policy == RemovedClusterPolicy.Stop) Removal.stopped(now) else drain(now)
  }

  /** How far the drain reads, if that is known. */
  private val targets: Option[SortedMap[Int, Long]] = Some(removal).collect { case Removal.Until(_, all) => all }

  private val topic = joined(held.copy(removal = Some(removal)))

  def step: TopicStep =
    // Its positions are useless: what returns under this name is another topic.
    if (gone) TopicStep(None)
    else if (Retention.expired(topic, reachable, policy.removal.retention, input.now)) forgotten
    else {
      val ended = over.orElse(overAlone)
      extents.filterNot(_ => ended.isDefined && stuck).fold(unreached(ended))(drained)
    }

  /** Whether it was deleted, or created again: nothing is left of what was listed. */
  private def gone: Boolean = seen.exists {
    case Hidden     => false
    case Absent     => input.known.suspectedLosses.deleted(id.cluster, name, policy.agreement)
    case _: Present => extents.isEmpty
  }

  private def reachable: Boolean = extents.isDefined || cluster.exists(_.isInstanceOf[Silent])

  private def drain(since: Long): Removal = target.fold[Removal](Removal.Open(since))(Removal.Until(since, _))

  /** Where the drain ends. To find that out takes a complete answer, about all partitions and their ends. A partition that
    * appeared just before the removal was listed too, so it drains. Records that an open transaction holds back drain too:
    * they may have been written long before.
    */
  private def target: Option[SortedMap[Int, Long]] =
    extents.filter(all => held.partitions.keysIterator.forall(all.contains)).flatMap { all =>
      val endings = Endings.removed(id, input.held)
      Option.when(endings.questions(all.keys).forall(input.answers.contains)) {
        val ends = endings.resolved(all, input.answers).settled
        (for {
          (partition, extent) <- all
          end = ends.get(partition).fold(extent.written)(Math.min(_, extent.written))
          if held.partitions.get(partition).forall(_.next < end)
        } yield partition -> end).to(SortedMap)
      }
    }

  /** A partition that has a target and was not held yet begins at its first record. */
  private def joined(topic: TopicOffset): TopicOffset = {
    val added = for {
      (partition, extent) <- extents.iterator.flatten
      if targets.exists(_.contains(partition)) && !topic.partitions.contains(partition)
    } yield partition -> PartitionOffset(extent.earliest, extent.earliest, input.held.nextIncarnation)
    topic.copy(partitions = topic.partitions ++ added)
  }

  /** Why the drain of a topic that is held alone is given up, if it is. */
  private def overAlone: Option[Failure] =
    HeldTopics(id.cluster, SortedMap(name -> obstacle)).failure.flatMap { failure =>
      DrainTries.over(id.cluster, failure, input.known.heldFor(id.cluster, name, input.now), context)
    }

  /** Whether a partition has something left to drain, or may have. */
  private def open(now: TopicOffset)(partition: Int): Boolean =
    targets.forall(_.get(partition).exists(end => now.partitions.get(partition).forall(_.next < end)))

  /** What holds up the drain. */
  private def holdsUp(now: TopicOffset): ReadObstacle = if (now.drains) obstacle.of(open(now)) else ReadObstacle.none

  /** Whether nothing of what is left to drain can be read. */
  private def stuck: Boolean = obstacle.nonEmpty &&
    targets.forall(_.keysIterator.forall(partition => obstacle.holds(partition) || !open(topic)(partition)))

  private def drained(extents: Map[Int, Extent]): TopicStep = {
    def target(partition: Int): Option[Long] = targets.map(_.getOrElse(partition, 0L))
    val aged                                 = AgedOut.loss(id, topic, extents, target)
    val now                                  = aged.fold(topic)(_.goesOn)
    def bound(partition: Int)                = for {
      until  <- target(partition) if !obstacle.holds(partition)
      extent <- extents.get(partition)
    } yield Math.min(until, extent.latest)
    TopicStep(Some(now), TopicStep.readable(now, bound), aged.toVector.flatMap(_.notices), obstacle = holdsUp(now))
  }

  /** The topic stays as it is. A drain that is given up ends at its position. */
  private def unreached(ended: Option[Failure]): TopicStep = ended.filter(_ => topic.drains) match {
    case None      => TopicStep(Some(topic), obstacle = holdsUp(topic))
    case Some(why) =>
      TopicStep(Some(topic.copy(removal = Some(Removal.stopped(removal.at)))), notices = abandoned(why))
  }

  private def forgotten: TopicStep =
    if (!topic.drains) TopicStep(None)
    else {
      val failed = input.seen.get(id.cluster).collect { case Failed(failure) => failure }
      val why    = failed.getOrElse(Failure(Condition.ClusterNotListed, "Nobody knows how to reach it."))
      val last   = say"removedClusterRetention is over, and its positions are forgotten. ${why.wording}"
      TopicStep(None, notices = abandoned(why.copy(wording = last)))
    }

  private def abandoned(why: Failure): Vector[Notice] =
    Vector(Notice.Abandoned(id.cluster, name, input.known.lag(id.cluster, name, topic), why))
}
