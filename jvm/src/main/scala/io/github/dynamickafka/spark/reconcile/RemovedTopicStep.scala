package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, Removal, TopicOffset}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Failed
import io.github.dynamickafka.spark.reconcile.TopicObservation.{Absent, Present}

/** One step of a topic that the metadata does not list any more: it drains up to its targets, is kept for its retention,
  * and then forgotten. It never fails the query.
  *
  * @param over why its cluster is tried no longer, if it is not
  */
final class RemovedTopicStep(
    cluster: ClusterId,
    situation: Situation,
    policy: ReconcilePolicy,
    owners: TopicOwners,
    over: Option[Failure]
) {

  def step(name: String, topic: TopicOffset, told: Option[TopicObservation]): TopicStep = {
    val there = told.collect { case present: Present if !present.isAnother(topic) => present.partitions }
    // What is taken over just now ends where the other id begins: an end found now might lie beyond.
    val open    = topic.removal.forall(_.targets.isEmpty)
    val extents = there.filterNot(_ => open && owners.takenAt(cluster, name).isDefined)
    // A topic that was deleted, or deleted and created again, has nothing left of what was listed.
    val gone = told.exists {
      case Absent     => situation.known.doubts.deleted(cluster, name, policy.agreement)
      case _: Present => there.isEmpty
    }
    val ends    = extents.flatMap(ended(name, _))
    val removal = RemovedTopic.removal(
      topic.copy(ends = ends.getOrElse(topic.ends)),
      extents.filter(_ => ends.isDefined),
      policy.removal,
      situation.now
    )
    val now = joined(topic.copy(removal = Some(removal)), removal, extents)
    // Its positions are of no use: what comes back under this name is another topic.
    if (gone) TopicStep(None)
    else if (RemovedTopic.expired(now, there.isDefined, policy.removal.retention, situation.now)) forgotten(name, now)
    else extents.fold(unreached(name, now, removal))(drained(name, now, removal, _))
  }

  private def ended(name: String, extents: Map[Int, Extent]): Option[SortedMap[Int, Long]] =
    situation.held.clusters.get(cluster).flatMap(Endings.atRemoval(cluster, name, _, extents, situation.answers))

  /** A partition that has a target and was not held yet begins at its first record. */
  private def joined(topic: TopicOffset, removal: Removal, extents: Option[Map[Int, Extent]]): TopicOffset = {
    val added = for {
      targets             <- removal.targets.toVector
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
      extents: Map[Int, Extent]
  ): TopicStep = {
    val taken = owners.takenAt(cluster, name).getOrElse(Map.empty)
    // So does one that was found before.
    def target(partition: Int): Option[Long] =
      removal.targets.map(ends => Math.min(ends.getOrElse(partition, 0L), taken.getOrElse(partition, Long.MaxValue)))
    val aged     = AgedOut.passOver(cluster, name, topic, extents, target)
    val readable = TopicStep.readable(
      aged.topic,
      partition =>
        for {
          until  <- target(partition)
          extent <- extents.get(partition)
        } yield Math.min(until, extent.latest)
    )
    val heldBack = (for {
      (partition, held) <- aged.topic.partitions.iterator
      until             <- target(partition)
      extent            <- extents.get(partition)
    } yield Math.max(0L, until - Math.max(extent.latest, held.next))).sum
    TopicStep(Some(aged.topic), readable, aged.notices, heldBack)
  }

  /** Held as it is; a drain that is tried no longer has read what it will. How far it was to read is kept, for an operator
    * may have been told so.
    */
  private def unreached(name: String, topic: TopicOffset, removal: Removal): TopicStep =
    over.filter(_ => RemovedTopic.drains(topic, removal)).fold(TopicStep(Some(topic))) { why =>
      val targets = removal.targets.getOrElse(SortedMap.empty[Int, Long])
      val ended   = topic.copy(removal = Some(removal.copy(targets = Some(SortedMap.empty), givenUp = targets)))
      TopicStep(Some(ended), notices = Vector(abandoned(name, topic, why)))
    }

  private def forgotten(name: String, topic: TopicOffset): TopicStep =
    if (!topic.removal.exists(RemovedTopic.drains(topic, _))) TopicStep(None)
    else {
      val last = situation.seen.get(cluster).collect { case Failed(failure) => failure }
      val why  = last.getOrElse(Failure(Condition.ClusterNotListed, "Nobody knows how to reach it."))
      val told = why.copy(detail = s"removedClusterRetention is over, and its positions are forgotten. ${why.detail}")
      TopicStep(None, notices = Vector(abandoned(name, topic, told)))
    }

  private def abandoned(name: String, topic: TopicOffset, why: Failure): Notice =
    Notice.Abandoned(cluster, name, situation.known.lag(cluster, name, topic), why)
}
