package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, TopicId}
import io.github.dynamickafka.spark.offsets.{MirrorFindings, PartitionOffset, SourceOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent, LastKnown}
import io.github.dynamickafka.spark.reconcile.succession.{Duplicates, HandOver, Role, Roles}
import io.github.dynamickafka.spark.reconcile.topic.Endings
import io.github.dynamickafka.spark.topology.Topology

/** The input of one step of the reconciler.
  *
  * @param basis what is held, and what is listed
  * @param inactive clusters no longer listed that the service calls inactive
  * @param seen the answer of each cluster that was asked
  * @param answers what the brokers said to the questions of [[OffsetQuestions]]
  * @param known what earlier asks found
  * @param confirmed whether the failure of a needed cluster counts: a fetch that began after it still lists the cluster, or
  *                  failed. While that fetch is under way, the cluster's positions are held
  * @param asked the questions that were asked, answered or not: they may be older than the positions that are held
  */
final case class StepInput(
    basis: StepBasis,
    inactive: Set[ClusterId],
    seen: Map[ClusterId, ClusterObservation],
    answers: Question.Answers,
    now: Instant,
    known: LastKnown = LastKnown.nothing,
    confirmed: Boolean = true,
    asked: Set[Question] = Set.empty
) {
  def held: SourceOffset = basis.held
  def topology: Topology = basis.topology
  def roles: Roles       = basis.roles

  /** What each cluster answered. If another Kafka cluster answered under a known id, that is a failure. */
  lazy val recognised: Map[ClusterId, ClusterObservation] = ClusterObservation.recognised(held, seen)

  /** The same without positions that are useless: those of a removed topic, where another id of the same Kafka cluster has
    * read the topic that has its name now.
    */
  def current: StepInput = {
    val stale = basis.recorded.topics.filter { case (id, name, topic) =>
      topic.removal.isDefined && !waitsForMirror(id, name) && superseded(id, name, topic)
    }.map { case (id, name, _) => id -> name }.toVector
    if (stale.isEmpty) this
    else copy(basis =
      basis.copy(recorded = stale.foldLeft(basis.recorded) { case (held, (id, name)) => held.forgetting(id, name) })
    )
  }

  private def waitsForMirror(id: ClusterId, name: String): Boolean =
    roles.successor(id, name).exists(next => !kafkaId(next).exists(kafkaId(id).contains))

  private def superseded(id: ClusterId, name: String, topic: TopicOffset): Boolean = {
    val kafka = kafkaId(id)
    val known = basis.recorded.clusters.valuesIterator.filter(_.kafkaId == kafka).flatMap(_.topics.get(name))
    val later = known.flatMap(_.kafkaId).filterNot(topic.kafkaId.contains)
    kafka.isDefined && topic.kafkaId.isDefined && later.exists(now =>
      recognised.exists { case (by, answer) =>
        kafkaId(by) == kafka && answer.present(name).exists(_.kafkaId.contains(now))
      }
    )
  }

  /** The ids that a listed cluster continues, each of which has read nothing of a log so far. Without those that the query
    * never knew.
    */
  def continued(by: ClusterId): SortedMap[ClusterId, SortedMap[Int, Long]] =
    topology.clusters(by).continues.iterator
      .filter(id => held.clusters.contains(id) || topology.clusters.contains(id))
      .map(_ -> SortedMap.empty[Int, Long]).to(SortedMap)

  /** Kafka's id of a cluster, as far as it is known. */
  def kafkaId(cluster: ClusterId): Option[String] = basis.kafkaId(cluster, recognised)
}

/** What a step is based on: the offset that the query has reached, and what the metadata lists.
  *
  * @param recorded that offset
  * @param last what the last step held, recorded or not
  * @param mirrored what was found of mirrors, and the offset may not have
  */
final case class StepBasis(
    recorded: SourceOffset,
    topology: Topology,
    last: Option[SourceOffset] = None,
    mirrored: MirrorFindings = MirrorFindings.none
) {

  /** Which cluster id reads which log. */
  lazy val roles: Roles = Roles.of(mirrored.marked(recorded), topology)

  /** The same offset, with one position for each log, and with what was found of mirrors. */
  lazy val held: SourceOffset = mirrored.marked(roles.held)

  /** What is held of a topic, with the ends that count now: those of the text by which it is listed. */
  def topic(id: TopicId): Option[TopicOffset] = held.topic(id.cluster, id.name).map { topic =>
    topology.clusters.get(id.cluster).filter(_.topics.contains(id.name))
      .map(Endings.listed(id, _, held.clusters.get(id.cluster)).settled)
      .filter(_ != topic.ends).fold(topic)(now => topic.copy(ends = now))
  }

  /** Kafka's id of a cluster, as far as it is known.
    *
    * @param seen the answers of clusters that are still the same
    */
  def kafkaId(cluster: ClusterId, seen: Map[ClusterId, ClusterObservation]): Option[String] =
    StepBasis.kafkaId(held, cluster, seen)

  /** All ids that are the same Kafka cluster as this one, as far as that is known.
    *
    * @param seen the answers of clusters that are still the same
    */
  def sameKafka(cluster: ClusterId, seen: Map[ClusterId, ClusterObservation]): Set[ClusterId] =
    held.sameKafka(kafkaId(cluster, seen)) + cluster

  /** The id that hands a topic over to this one, if both are the very same Kafka cluster.
    *
    * @param kafkaId Kafka's id of this one
    */
  def renamedFrom(id: ClusterId, name: String, kafkaId: Option[String]): Option[ClusterId] = roles.of(id, name) match {
    case Role.Successor(of) => Some(of).filter(held.clusters.get(_).flatMap(_.kafkaId).exists(kafkaId.contains(_)))
    case _                  => None
  }

  /** Whether the position of a topic is about to be handed over to this id. */
  def takesOver(id: ClusterId, name: String): Boolean = roles.of(id, name).isInstanceOf[Role.Successor]

  /** The same position, with the epoch for which the last step has proved it. A look at a running batch has positions
    * without epochs, which prove nothing.
    */
  def proved(id: PartitionId, position: PartitionOffset, extent: Extent): PartitionOffset =
    // Mostly the leader is the same.
    if (position.epoch == extent.epoch) position
    else
      last.flatMap(_.get(id)).filter(known =>
        known.isAt(position) && known.epoch.exists(later => position.epoch.forall(_ <= later))
      ).getOrElse(position)
}

object StepBasis {
  private[reconcile] def kafkaId(
      held: SourceOffset,
      cluster: ClusterId,
      seen: Map[ClusterId, ClusterObservation]
  ): Option[String] = held.clusters.get(cluster).flatMap(_.kafkaId).orElse(seen.get(cluster).collect {
    case ClusterObservation.Answered(id, _) => id
  }.flatten)
}

/** The input and the rules of one step, and what all its parts derive from them. */
final class StepContext(val input: StepInput, val policy: ReconcilePolicy) {

  /** Whether a topic that is missing on its cluster counts as deleted. */
  def deleted(id: TopicId): Boolean = input.known.suspectedLosses.deleted(id.cluster, id.name, policy.agreement)

  /** Which cluster id has a topic that several ids list, though nobody declared these ids to be one. */
  val duplicates: Duplicates = Duplicates.of(input, policy)

  /** The positions that go over to another id. */
  val handOver: HandOver = HandOver.of(input, duplicates)
}
