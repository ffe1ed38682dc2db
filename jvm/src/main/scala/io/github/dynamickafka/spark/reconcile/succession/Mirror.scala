package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{MirrorEnds, OffsetPoint, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.StepBasis
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.ListedCluster

/** A cluster that holds the records of another one at the same offsets. */
object Mirror {

  /** Where the partitions of standby and paused topics ended, and of those that took over from another id, when their
    * cluster last answered; by cluster and topic. And where a mirror that is to take over was first found to be behind.
    * The hand-over uses it to decide whether a mirror is behind. A partition that an answer leaves out keeps its end. So
    * does a mirror that is not listed for a moment, while nothing is read of its log.
    *
    * @param before the ends that were known before
    * @param seen the answers of clusters that are still the same
    * @param held the offset after the step
    * @param readable what the step can read
    */
  def ends(
      before: Map[(ClusterId, String), MirrorEnds],
      roles: Roles,
      seen: Map[ClusterId, ClusterObservation],
      held: SourceOffset,
      readable: PartitionMap[Long]
  ): Map[(ClusterId, String), MirrorEnds] = {
    def known(id: ClusterId, name: String) = before.get(id -> name).fold(Map.empty[Int, Long])(_.ends)
    // While a batch of Real-Time Mode runs, the offset of a step is not logged.
    val behind = for {
      (id, name, from) <- roles.successions
      ends             <- held.topic(from, name).flatMap(_.behind.get(id))
    } yield (id, name) -> MirrorEnds(from, known(id, name)).lowered(ends)
    // What was read there, and is read under another id later, may be all that it has.
    val readers = held.topics.collect {
      case (id, name, topic) if topic.formers.nonEmpty && roles.topology.lists(id, name) => id -> name
    }
    val mirrors = roles.waiting.toSet ++ readers
    val seenNow = for {
      (id, name) <- mirrors
      present    <- seen.get(id).flatMap(_.present(name))
    } yield (id, name) -> MirrorEnds(
      roles.holder(id, name),
      known(id, name) ++ present.partitions.transform((_, extent) => extent.written)
    )
    val listed                            = mirrors ++ roles.successions.map { case (id, name, _) => id -> name }
    def read(name: String, of: ClusterId) = readable.topics.exists { case (id, topic, _) =>
      topic == name && (id == of || held.topic(id, name).exists(_.formers.contains(of)))
    }
    before.filter { case (at @ (id, name), mirror) =>
      listed(at) || !roles.topology.lists(id, name) && !read(name, mirror.of)
    } ++ behind ++ seenNow
  }

  /** The ends that are known, no higher than these answers say of mirrors that are to take over and end below the position.
    * That counts also where the step of these answers is not taken: what such a mirror gets later may be producers' own.
    */
  def behind(
      known: Map[(ClusterId, String), MirrorEnds],
      basis: StepBasis,
      seen: Map[ClusterId, ClusterObservation]
  ): Map[(ClusterId, String), MirrorEnds] = known ++ (for {
    (id, name, from) <- basis.roles.successions if !basis.topology.pauses(id, name)
    present          <- seen.get(id).flatMap(_.present(name))
    topic            <- basis.held.topic(from, name)
    ends = present.partitions.collect {
      case (number, extent) if topic.partitions.get(number).exists(extent.written < _.next) => number -> extent.written
    }
    if ends.nonEmpty
  } yield (id, name) -> known.getOrElse(id -> name, MirrorEnds(from, Map.empty)).lowered(ends))

  /** Where mirrors that are to take over end below what was read, by mirror and by the partition that was read. */
  def lagging(
      known: Map[(ClusterId, String), MirrorEnds],
      basis: StepBasis
  ): Map[ClusterId, Map[PartitionId, Long]] = (for {
    (id, name, from) <- basis.roles.successions.toVector if !basis.topology.pauses(id, name)
    mirror           <- known.get(id -> name).toVector
    topic            <- basis.held.topic(from, name).toVector
    (number, end)    <- mirror.ends if topic.partitions.get(number).exists(end < _.next)
  } yield (id, PartitionId(from, name, number) -> end)).groupMap(_._1)(_._2).transform((_, ends) => ends.toMap)

  /** Where mirroring ended, by the starting offsets that name the partition. Records from there on are the mirror's
    * own. The starting offsets of a cluster without `continues` name where its log began.
    *
    * A mirror from which the log was read before may still have the starting offsets of an earlier move. They lie below
    * the hand-over, and do not count. A lower offset counts only if the log began anew below the hand-over, or the
    * mirror was found to end there.
    *
    * @param id of the partition on the mirror
    * @param topic what is held of the log
    * @param ends the ends that were found of the mirror
    */
  def ended(mirror: ListedCluster, id: PartitionId, topic: TopicOffset, ends: Iterable[Long]): Option[Long] = {
    val handedOver = topic.formers.get(id.cluster).flatMap(_.get(id.partition))
    val least      =
      handedOver.fold(0L)(at => (topic.partitions.get(id.partition).map(_.start) ++ ends).fold(at)(Math.min(_, _)))
    val line = mirror.startingOffsets.filter(_ => mirror.continues.nonEmpty)
    line.flatMap(_.rule.topics.get(id.topic)).flatMap(_.partitions.get(id.partition)).collect {
      case OffsetPoint.Exact(offset) if offset >= least => offset
    }
  }
}
