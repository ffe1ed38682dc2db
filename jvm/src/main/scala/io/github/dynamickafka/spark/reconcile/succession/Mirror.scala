package io.github.dynamickafka.spark.reconcile.succession

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{
  MirrorEnds,
  MirrorFinding,
  MirrorFindings,
  MirrorLag,
  OffsetPoint,
  SourceOffset,
  TopicOffset
}
import io.github.dynamickafka.spark.reconcile.StepBasis
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent}
import io.github.dynamickafka.spark.topology.ListedCluster

/** A cluster that holds the records of another one at the same offsets. */
object Mirror {

  /** Where the partitions of standby and paused topics ended, and of those that took over from another id, when their
    * cluster last answered; by cluster and topic. The hand-over uses it to decide whether a mirror is behind. A partition
    * that an answer leaves out keeps its end. So does a mirror that is not listed, until more is read of the partition. If
    * asks agree that a mirror does not have the topic, it ends before the first record.
    *
    * @param before the ends that were known before
    * @param seen the answers of clusters that are still the same
    * @param held the offset, before anything is read
    * @param missing whether asks agree on that
    */
  def ends(
      before: Map[(ClusterId, String), MirrorEnds],
      roles: Roles,
      seen: Map[ClusterId, ClusterObservation],
      held: SourceOffset,
      missing: (ClusterId, String) => Boolean = (_, _) => false
  ): Map[(ClusterId, String), MirrorEnds] = {
    lazy val logs                                         = held.topics.toVector.groupBy(_._2)
    def read(name: String, of: ClusterId): Map[Int, Long] = logs.getOrElse(name, Vector.empty).collect {
      case (id, _, log) if id == of || log.formers.contains(of) =>
        log.partitions.transform((_, position) => position.next)
    }.foldLeft(Map.empty[Int, Long])(_ ++ _)
    val known = before.map { case (at @ (_, name), mirror) => at -> mirror.upTo(read(name, mirror.of)) }
    // What was read there, and is read under another id later, may be all that it has.
    val readers = held.topics.collect {
      case (id, name, topic) if topic.formers.nonEmpty && roles.topology.lists(id, name) => id -> name
    }
    val mirrors               = roles.waiting.toSet ++ readers
    def others(id: ClusterId) = held.sameKafka(StepBasis.kafkaId(held, id, seen)) - id
    val seenNow               = (for {
      (id, name) <- mirrors
      present    <- seen.get(id).flatMap(_.present(name))
      before = (others(id).toVector :+ id).flatMap(one => known.get(one -> name)).flatMap(_.ends)
    } yield (id, name) -> MirrorEnds(
      if (held.topic(id, name).isDefined) id else roles.holder(id, name),
      before.toMap ++ present.partitions.transform((_, extent) => extent.written)
    )).toMap
    // What the same Kafka cluster answers under another id now is newer.
    val older  = seenNow.keySet.flatMap { case (id, name) => others(id).map(_ -> name) } -- seenNow.keySet
    val listed = mirrors ++ roles.successions.map { case (id, name, _) => id -> name }
    val none   = for {
      (id, name) <- listed if missing(id, name)
      of = roles.holder(id, name) if of != id
    } yield (id, name) -> MirrorEnds(of, read(name, of).transform((_, _) => 0L))
    // Listed without `continues`, it is no mirror for the moment. A partition may begin only then.
    (known -- older).map { case (at @ (_, name), mirror) =>
      val left = Option.unless(listed(at))(read(name, mirror.of) ++ mirror.left.getOrElse(Map.empty))
      at -> mirror.copy(left = left)
    } ++ seenNow ++ none
  }

  /** What is found of mirrors that are to take over and end below what was read: by this answer, or by the last one
    * before they were to take over. What such a mirror gets later may be producers' own. What was found of the same Kafka
    * cluster under another id counts, too. Without what the offset has.
    *
    * @param known what [[ends]] knows
    * @param seen the answers of clusters that are still the same
    */
  def lags(
      known: Map[(ClusterId, String), MirrorEnds],
      basis: StepBasis,
      seen: Map[ClusterId, ClusterObservation]
  ): MirrorFindings = MirrorFindings.of(for {
    (id, name, from) <- basis.roles.successions.toVector if !basis.topology.pauses(id, name)
    if basis.renamedFrom(id, name, basis.kafkaId(id, seen)).isEmpty
    topic <- basis.held.topic(from, name).toVector
    answered = seen.get(id).flatMap(_.present(name)).fold(Map.empty[Int, Extent])(_.partitions)
    ids      = basis.sameKafka(id, seen)
    (number, at) <- topic.partitions.toVector
    here  = PartitionId(from, name, number)
    found = ids.flatMap(other => standby(known, basis, other, here) ++ topic.mirrorEnd(other, number))
    end <- (found ++ answered.get(number).map(_.written)).minOption
    lag = MirrorLag(end, at.next)
    if end < at.next && !basis.recorded.hasLag(id, here, lag)
  } yield id -> (here -> MirrorFinding(lag, at.incarnation)))

  /** Where a mirror ended when its cluster last answered. If a log is joined only now, the mirror may have had another one's
    * records.
    *
    * @param of the partition that was read
    */
  def standby(
      known: Map[(ClusterId, String), MirrorEnds],
      basis: StepBasis,
      id: ClusterId,
      of: PartitionId
  ): Option[Long] = {
    // Of a partition that the joined id alone had, it is known whose records the mirror had.
    val before  = if (basis.recorded.get(of).isDefined) basis.recorded else basis.held
    val formers = before.topic(of.cluster, of.topic).fold(SortedMap.empty[ClusterId, SortedMap[Int, Long]])(
      _.formers
    )
    for {
      mirror <- known.get(id -> of.topic) if mirror.of == of.cluster || formers.contains(mirror.of)
      end    <- mirror.ends.get(of.partition)
    } yield
      // It answered that while it was read itself, perhaps before the last records came.
      if (mirror.of == id) Math.max(end, formers.get(id).flatMap(_.get(of.partition)).getOrElse(0L)) else end
  }

  /** Whether a mirror that was behind stands by, and has by now all that was read of a partition, and nothing beyond the log
    * that is read.
    *
    * @param seen the answers of clusters that are still the same
    * @param of the partition that is read, by any id of its log
    * @param lag what was found of it
    */
  def caughtUp(
      roles: Roles,
      seen: Map[ClusterId, ClusterObservation]
  )(mirror: ClusterId, of: PartitionId, lag: MirrorLag): Boolean = {
    def end(id: ClusterId) =
      seen.get(id).flatMap(_.present(of.topic)).flatMap(_.partitions.get(of.partition)).map(_.written)
    def reached(mirror: ClusterId) = {
      val reader = roles.holder(mirror, of.topic)
      roles.standsBy(mirror, of.topic, reader) && !roles.topology.pauses(reader, of.topic) && (for {
        topic  <- roles.held.topic(reader, of.topic) if reader == of.cluster || topic.formers.contains(of.cluster)
        at     <- topic.partitions.get(of.partition)
        theirs <- end(reader)
        ours   <- end(mirror)
      } yield Math.max(at.next, lag.position) <= ours && ours <= theirs).getOrElse(false)
    }
    // It may stand by under another id now.
    (roles.held.sameKafka(roles.held.clusters.get(mirror).flatMap(_.kafkaId)) + mirror).exists(reached)
  }

  /** Where mirroring ended, by the starting offsets that name the partition. Records from there on are the mirror's
    * own. The starting offsets of a cluster without `continues` name where its log began.
    *
    * A mirror from which the log was read before may still have the starting offsets of an earlier move. They lie below
    * the hand-over, and do not count. A lower offset counts only if the log began anew below the hand-over, or the
    * mirror was found to end there, or its topic was created again since.
    *
    * @param id of the partition on the mirror
    * @param topic what is held of the log
    * @param ends the ends that were found of the mirror
    * @param kafkaId Kafka's id of the mirror's topic, if it is known
    */
  def ended(
      mirror: ListedCluster,
      id: PartitionId,
      topic: TopicOffset,
      ends: Iterable[Long],
      kafkaId: Option[String]
  ): Option[Long] = {
    val anew       = topic.formerTopics.get(id.cluster).exists(was => kafkaId.exists(_ != was))
    val handedOver = topic.formers.get(id.cluster).flatMap(_.get(id.partition)).filterNot(_ => anew)
    val least      =
      handedOver.fold(0L)(at => (topic.partitions.get(id.partition).map(_.start) ++ ends).fold(at)(Math.min(_, _)))
    line(mirror, id).filter(_ >= least)
  }

  /** What the starting offsets of a mirror say of a partition. */
  def line(mirror: ListedCluster, id: PartitionId): Option[Long] =
    mirror.startingOffsets.filter(_ => mirror.continues.nonEmpty).flatMap(_.rule.topics.get(id.topic))
      .flatMap(_.partitions.get(id.partition)).collect { case OffsetPoint.Exact(offset) => offset }
}
