package io.github.dynamickafka.spark.driver.uncommitted

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.errors.{Condition, Failure, Say}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, TopicId}
import io.github.dynamickafka.spark.offsets.{MirrorFinding, MirrorFindings, MirrorLag, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.{Absent, Hidden, Present}
import io.github.dynamickafka.spark.reconcile.report.SkippedTopics
import io.github.dynamickafka.spark.reconcile.succession.{Links, Mirror}
import io.github.dynamickafka.spark.topology.Topology

/** The clusters from which an uncommitted batch is read in place of others. Each continues a cluster that is no longer
  * listed, or does not answer. The rows still carry the id that the batch was planned with.
  *
  * @param by the cluster that stands in for each
  * @param end the offset at which the batch ends
  * @param found what was found of mirrors before, and no offset may have
  */
final case class StandIns(
    by: Map[ClusterId, StandIn],
    end: SourceOffset,
    found: MirrorFindings = MirrorFindings.none
) {

  /** Which clusters to ask about these topics. */
  def asked(topics: Map[ClusterId, Set[String]]): Map[ClusterId, Set[String]] =
    topics.toVector.groupMapReduce(one => reader(one._1))(_._2)(_ ++ _)

  /** What these answers mean for the clusters that the batch names. A mirror's topics have other ids, which prove
    * nothing.
    */
  def answers(
      clusters: Iterable[ClusterId],
      seen: Map[ClusterId, ClusterObservation]
  ): Map[ClusterId, ClusterObservation] = {
    val known = ClusterObservation.recognised(end, seen)
    (for {
      id   <- clusters
      said <- known.get(reader(id))
    } yield id -> by.get(id).fold(said)(_.inNameOf(end.clusters.get(id).flatMap(_.kafkaId), said))).toMap
  }

  /** The cluster from which a range of this one is read. */
  def reader(cluster: ClusterId): ClusterId = by.get(cluster).fold(cluster)(_.id)

  /** The ranges about which the stand-in has not answered. Nobody knows whether it has their records, or others. */
  def unanswered(ranges: Vector[OffsetRange], answers: Map[ClusterId, ClusterObservation]): Vector[UnreadableRange] =
    UnreadableRange.of(ranges.filter(range => by.contains(range.id.cluster)), end, answers)
      .map(one => one.copy(why = by(one.range.id.cluster).silent(one.why)))

  /** The ranges that the stand-in did not have when it was asked, unless the metadata says where mirroring ended. While
    * the old id lists the topic, no range is cut: once that cluster answers again, it has the whole batch. Records of
    * the stand-in after the end of mirroring are its own.
    */
  def behind(ranges: Vector[OffsetRange], answers: Map[ClusterId, ClusterObservation]): Vector[UnreadableRange] =
    for {
      range   <- ranges
      standIn <- by.get(range.id.cluster)
      had     <- written(range.id, range.from, answers)
      line = ended(range, standIn, answers)
      // It has not got yet what the line says that it has.
      short = line.exists(end => reported(range.id, answers).exists(_ < Math.min(end, range.until)))
      ours  =
        if (standIn.awaited(range.id.topic).isEmpty && !short) line.fold(had)(_ => range.until)
        else (line ++ Some(had)).min
      if ours < range.until
    } yield UnreadableRange(range, standIn.behind(range, ours))

  /** The topics of these ranges that the mirror does not have, and that the old id does not list, as
    * [[UncommittedBatch.gone]] has them.
    */
  def missing(ranges: Vector[OffsetRange], answers: Map[ClusterId, ClusterObservation]): Map[TopicId, Option[String]] =
    ranges.map(UncommittedBatch.topic).filter { id =>
      by.get(id.cluster).exists(standIn => !standIn.sameKafka && standIn.awaited(id.name).isEmpty) &&
      answers.get(id.cluster).flatMap(_.topic(id.name)).contains(Absent)
    }.map(_ -> None).toMap

  /** How far each mirror has the ranges that [[behind]] finds, as far as its answer has their partitions.
    *
    * @param none the topics that mirrors surely do not have
    */
  def lacking(
      ranges: Vector[OffsetRange],
      answers: Map[ClusterId, ClusterObservation],
      none: Set[TopicId]
  ): MirrorFindings = {
    val from = ranges.map(range => range.id -> range.from).toMap
    MirrorFindings.of(for {
      topic        <- ranges.map(UncommittedBatch.topic).distinct
      seen         <- answers.get(topic.cluster).flatMap(_.topic(topic.name)).toVector
      (number, at) <- end.topic(topic.cluster, topic.name).toVector.flatMap(_.partitions)
      if (seen match {
        case present: Present => present.partitions.contains(number)
        case Absent           => none(topic)
        case Hidden           => false
      })
      id = topic.partition(number)
      upTo <- written(id, from.getOrElse(id, at.next), answers) if upTo < at.next
    } yield reader(id.cluster) -> (id -> MirrorFinding(MirrorLag(upTo, at.next), at.incarnation)))
  }

  /** The ranges, cut where mirroring ended. Leader epochs and ids of topics of one Kafka cluster mean nothing on another
    * one.
    */
  def mirrored(ranges: Vector[OffsetRange], answers: Map[ClusterId, ClusterObservation]): Vector[OffsetRange] =
    ranges.flatMap { range =>
      val same = by.get(range.id.cluster).forall(_.sameKafka)
      val here = if (same) range else range.copy(kafkaId = None, epochs = RangeEpochs.unknown)
      cut(range, answers).fold(Option(here)) { case (end, _) =>
        Option.when(end > range.from)(here.copy(until = end))
      }
    }

  /** What is cut off these ranges: the records that the stand-in does not have. */
  def beyond(ranges: Vector[OffsetRange], answers: Map[ClusterId, ClusterObservation]): Vector[UnreadableRange] =
    for {
      range          <- ranges
      (end, standIn) <- cut(range, answers)
    } yield UnreadableRange(range.part(Math.max(end, range.from), range.until), standIn.behind(range, end))

  /** Where mirroring ended within a range, if the metadata says so, and who stands in. */
  private def cut(range: OffsetRange, answers: Map[ClusterId, ClusterObservation]): Option[(Long, StandIn)] =
    for {
      standIn <- by.get(range.id.cluster) if standIn.awaited(range.id.topic).isEmpty
      _       <- written(range.id, range.from, answers)
      end     <- ended(range, standIn, answers) if end < range.until
    } yield end -> standIn

  // An answer that leaves the partition out says nothing of its end.
  private def ended(
      range: OffsetRange,
      standIn: StandIn,
      answers: Map[ClusterId, ClusterObservation]
  ): Option[Long] = {
    val id = range.id
    end.topic(id.cluster, id.topic).flatMap { topic =>
      val ends = ended(standIn, id, range.from) ++ reported(id, answers)
      Mirror.ended(standIn.cluster, id.copy(cluster = standIn.id), topic, ends, standIn.topics.get(id.topic))
    }
  }

  private def reported(id: PartitionId, answers: Map[ClusterId, ClusterObservation]): Option[Long] =
    answers.get(id.cluster).flatMap(_.topic(id.topic)).flatMap {
      case present: Present => present.partitions.get(id.partition).map(_.written)
      case Absent           => Some(0L)
      case Hidden           => None
    }

  // Where it was found to end before. The batch is logged, but the log was read only up to where its range begins.
  private def ended(standIn: StandIn, id: PartitionId, from: Long): Iterable[Long] =
    // It may have been found under another id of its Kafka cluster.
    (end.sameKafka(standIn.kafkaId) + standIn.id).flatMap(mirror =>
      end.get(id).flatMap(found.lag(mirror, id, _, from)) ++ end.lag(mirror, id).filter(_.isAt(from))
    ).map(_.end)

  /** How far a mirror has the records of the log. What it got after it was first found to be behind does not count:
    * producers may have filled the gap.
    *
    * @param from up to where the log was read
    */
  private def written(id: PartitionId, from: Long, answers: Map[ClusterId, ClusterObservation]): Option[Long] = for {
    standIn <- by.get(id.cluster) if !standIn.sameKafka
    seen    <- answers.get(id.cluster).flatMap(_.topic(id.topic))
    upTo    <- seen match {
      case present: Present if present.obstacle.failed(id.partition) => None
      case present: Present => Some(present.partitions.get(id.partition).fold(0L)(_.written))
      case Absent           => Some(0L)
      case Hidden           => None
    }
  } yield (ended(standIn, id, from) ++ Some(upTo)).min
}

object StandIns {
  val none: StandIns = StandIns(Map.empty, SourceOffset.initial)

  /** Which cluster could stand in for each of these. It is the listed id that continues it, or the id to which its log was
    * once handed over and from which it came back. A topic of the same name that was never the same log is another one.
    *
    * @param topics what the batch reads of each
    */
  def candidates(
      topics: Map[ClusterId, Set[String]],
      end: SourceOffset,
      topology: Topology
  ): Map[ClusterId, ClusterId] =
    topics.flatMap { case (of, names) =>
      def lines(id: ClusterId)             = topology.clusters.get(id).fold(Set.empty[ClusterId])(_.continues.toSet)
      val links                            = names.map(name => name -> new Links(name, end, topology)).toMap
      def log(id: ClusterId, name: String) = links(name).of(id) ++ lines(id)
      val found                            = topology.clusters.keysIterator.filter(id =>
        id != of && names.forall(name => log(id, name).exists(log(of, name)))
      ).toVector
      // In the order in which they take over.
      def lists(id: ClusterId) = names.forall(topology.lists(id, _))
      found.sortBy(id => (!lists(id), found.exists(lines(id)), !lines(id)(of), id)).headOption.map(of -> _)
    }

  /** The candidates for clusters that are listed no more, or do not answer.
    *
    * @param seen what those clusters answered that are listed
    */
  def needed(
      candidates: Map[ClusterId, ClusterId],
      topics: Map[ClusterId, Set[String]],
      end: SourceOffset,
      topology: Topology,
      seen: Map[ClusterId, ClusterObservation]
  ): Map[ClusterId, ClusterId] = {
    val known = ClusterObservation.recognised(end, seen)
    // A cluster that reports all topics of the batch needs no stand-in, unless all of them moved away and one is gone since.
    def answers(id: ClusterId) = known.get(id).exists {
      case Answered(_, reported) =>
        val names = topics.getOrElse(id, Set.empty)
        names.forall(reported.contains) &&
        (names.exists(topology.lists(id, _)) || names.forall(name => !gone(end.topic(id, name), reported(name))))
      case _ => false
    }
    candidates.filterNot { case (of, _) => topology.clusters.contains(of) && answers(of) }
  }

  /** The stand-ins that are needed.
    *
    * @param seen the answers of the clusters, and of those that could stand in for them
    */
  def of(
      candidates: Map[ClusterId, ClusterId],
      topics: Map[ClusterId, Set[String]],
      end: SourceOffset,
      topology: Topology,
      seen: Map[ClusterId, ClusterObservation]
  ): StandIns = {
    val known = ClusterObservation.recognised(end, seen)
    val by    = needed(candidates, topics, end, topology, seen).toVector.flatMap { case (of, id) =>
      val kafka  = known.get(id).collect { case Answered(kafkaId, _) => kafkaId }.flatten
      val theirs = end.clusters.get(of).flatMap(_.kafkaId)
      val old    = topology.clusters.get(of).map(_ -> why(of, known.get(of)))
      val same   = kafka.isDefined && kafka == theirs
      // Until it has answered, it may be the same Kafka cluster.
      val silent = !known.get(id).exists(_.isInstanceOf[Answered])
      // A topic of this name on another Kafka cluster is of the same log only where its id lists it and reads it next.
      def mirrors(name: String) = topology.lists(id, name) &&
        (!topology.lists(of, name) || topology.clusters(id).continues(of))
      Option.when(same || silent || topics(of).forall(mirrors))(
        of -> StandIn(
          id,
          of,
          topology.clusters(id),
          same,
          old,
          kafka,
          known.get(id).fold(Map.empty[String, String])(topicIds)
        )
      )
    }.toMap
    StandIns(by, end)
  }

  private def topicIds(said: ClusterObservation): Map[String, String] = said match {
    case Answered(_, topics) =>
      for ((name, present: Present) <- topics.toMap; kafkaId <- present.kafkaId) yield name -> kafkaId
    case _ => Map.empty
  }

  /** Whether a topic was deleted, or created again. */
  private def gone(held: Option[TopicOffset], seen: TopicObservation): Boolean = seen match {
    case Absent           => true
    case Hidden           => false
    case present: Present => held.exists(present.isAnother)
  }

  private def why(id: ClusterId, said: Option[ClusterObservation]): Failure = (said match {
    case Some(Failed(failure))     => Some(failure)
    case Some(Answered(_, topics)) =>
      SkippedTopics.of(id, topics.transform((_, topic) => topic.obstacle).to(SortedMap)).failure
    case _ => None
  }).getOrElse(Failure(
    Condition.ClusterUnreachable,
    say"The brokers of cluster $id have not answered for some topics."
  ))
}
