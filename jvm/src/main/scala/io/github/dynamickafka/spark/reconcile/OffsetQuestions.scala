package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, TopicId}
import io.github.dynamickafka.spark.offsets.{
  AskedPoint,
  ClusterOffset,
  Drain,
  OffsetPoint,
  Removal,
  SourceOffset,
  TopicOffset
}
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.reconcile.observed.{Extent, LogProof}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.succession.Role
import io.github.dynamickafka.spark.reconcile.topic.{Endings, StartingPoints}
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** What a step must ask the clusters first. */
final class OffsetQuestions(basis: StepBasis, policy: ReconcilePolicy) {
  import basis.{held, roles, topology}

  /** The topics whose partitions and extents are asked for, by cluster: those listed, and those that drain. A cluster
    * whose part of the query is over is not asked, so that its client can be closed. After it was off the list, it is
    * asked until it answers: a topic may have been created again.
    */
  def topics: Map[ClusterId, Set[String]] = (topology.clusters.keySet ++ held.clusters.keySet).iterator.flatMap { id =>
    val before = held.clusters.get(id)
    val listed = topology.clusters.get(id)
      .filterNot(now => Endings.over(before, now) && !before.exists(_.topics.exists(isBack(now, _))))
    val draining = before.fold(Set.empty[String])(OffsetQuestions.draining(id, _, topology, policy))
      .filter(roles.successor(id, _).isEmpty)
    Option.when(listed.isDefined || draining.nonEmpty) {
      id -> (listed.fold(Set.empty[String])(_.topics.keySet.toSet) ++ draining)
    }
  }.toMap

  private def isBack(now: ListedCluster, topic: (String, TopicOffset)): Boolean =
    now.topics.contains(topic._1) && topic._2.removal.isDefined

  /** Whether a cluster still drains something that does not rest. */
  def drains(id: ClusterId): Boolean = held.clusters.get(id)
    .exists(OffsetQuestions.draining(id, _, topology, policy).exists(!roles.rests(id, _)))

  /** The points of one cluster that its brokers must turn into offsets, given what they answered first. */
  def points(id: ClusterId, answered: Answered): Set[Question] =
    (for {
      (name, present: Present) <- answered.topics.iterator
      question                 <- topology.clusters.get(id).filter(_.topics.contains(name))
        .fold(ofRemoved(id, name, present.partitions.keySet))(ofListed(id, _, name, present))
    } yield question).toSet ++ proofs(id, answered)

  /** Those of them that ask whether logs still hold what was read of them. */
  def proofs(id: ClusterId, answered: Answered): Set[Question] = (for {
    (name, present: Present) <- answered.topics.iterator
    topic                    <- provable(id, name, answered).iterator if !present.isAnother(topic)
    (number, position)       <- topic.partitions.iterator if !topic.ended(number)
    extent                   <- present.partitions.get(number)
    partition = PartitionId(id, name, number)
    question <- LogProof.question(partition, basis.proved(partition, position, extent), extent)
  } yield question).toSet

  /** What is held of a topic, or what a renamed cluster hands over to it in this step, with its leader epochs. */
  private def provable(id: ClusterId, name: String, answered: Answered): Option[TopicOffset] =
    roles.of(id, name) match {
      case _: Role.Successor =>
        basis.renamedFrom(id, name, answered.kafkaId).flatMap(held.topic(_, name)).map(_.copy(ends = SortedMap.empty))
      case _ => basis.topic(TopicId(id, name))
    }

  /** Where partitions begin and end. */
  private def ofListed(id: ClusterId, listed: ListedCluster, name: String, present: Present): Iterator[Question] = {
    val starts = new StartingPoints(id, listed, basis, policy)
    val known  = held.topic(id, name)
    val ends   = Endings.listed(TopicId(id, name), listed, held.clusters.get(id))
    // Of a topic that was created again no end is known.
    val open  = if (known.exists(present.isAnother)) ends.copy(settled = SortedMap.empty) else ends
    val begun = for {
      partition <- present.partitions.keysIterator if !known.exists(_.partitions.contains(partition))
      asked     <- starts.point(name, partition).asked
    } yield Question(PartitionId(id, name, partition), asked)
    begun ++ open.questions(present.partitions.keys)
  }

  /** Where drains end, if that is not known yet; and where partitions begin that were not seen before. */
  private def ofRemoved(id: ClusterId, name: String, partitions: Set[Int]): Iterator[Question] =
    held.topic(id, name).iterator.flatMap { topic =>
      val open  = partitions.filter(number => topic.removal.forall(_.drain(number) == Drain.Unknown))
      val begun = for {
        partition <- open.iterator if !topic.partitions.contains(partition)
        asked     <- StartingPoints.ofRemoved(held, id, name, partition).asked
      } yield Question(PartitionId(id, name, partition), asked)
      begun ++ Endings.removed(TopicId(id, name), held).questions(open)
    }
}

object OffsetQuestions {

  /** The clusters that drain once the metadata does not list them. The service is asked whether they are active. */
  def draining(held: SourceOffset, policy: ReconcilePolicy): Set[ClusterId] = held.clusters.collect {
    case (id, cluster) if draining(id, cluster, Topology.empty, policy).nonEmpty => id
  }.toSet

  /** The held topics of a cluster that are no longer listed and still have records to read, as far as is known. */
  private def draining(id: ClusterId, in: ClusterOffset, topology: Topology, policy: ReconcilePolicy): Set[String] =
    in.topics.collect {
      case (name, topic) if !topology.lists(id, name) && (topic.removal match {
            case None | Some(_: Removal.ListedAgain) => policy.removal.policy == RemovedClusterPolicy.Drain
            case Some(_)                             => topic.drains
          }) => name
    }.toSet
}

/** A point of a partition that only its brokers can turn into an offset. */
final case class Question(id: PartitionId, point: AskedPoint)

object Question {

  /** The brokers' answers. None if there is no such record or commit, or if they can't say. */
  type Answers = Map[Question, Option[Long]]

  /** Whether a partition has no record at or after the time of a point. */
  def none(answers: Answers)(id: PartitionId, point: OffsetPoint): Boolean =
    answers.get(Question(id, point)).contains(None)

  /** The offset of a point, or nothing while it is not known.
    *
    * @param late the offset to take if no record is at or after the time
    */
  def offset(id: PartitionId, point: OffsetPoint, extent: Extent, answers: Answers, late: Option[Long]): Option[Long] =
    point match {
      case OffsetPoint.Earliest                => Some(extent.earliest)
      case OffsetPoint.Latest                  => Some(extent.latest)
      case OffsetPoint.Exact(offset)           => Some(offset)
      case OffsetPoint.Timestamp(_)            => answers.get(Question(id, point)).flatMap(_.orElse(late))
      case OffsetPoint.Committed(_, otherwise) =>
        answers.get(Question(id, point)).flatMap(_.orElse(offset(id, otherwise, extent, answers, late)))
    }
}
