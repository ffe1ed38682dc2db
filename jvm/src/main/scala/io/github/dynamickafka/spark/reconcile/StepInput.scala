package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, LastKnown}
import io.github.dynamickafka.spark.reconcile.succession.{Duplicates, HandOver, Roles}
import io.github.dynamickafka.spark.topology.Topology

/** All that one step of the reconciler looks at.
  *
  * @param basis what is held, and what is listed
  * @param inactive clusters no longer listed that the service calls inactive
  * @param seen what each cluster answered that was asked
  * @param answers what the brokers said to the questions of [[OffsetQuestions]]
  * @param known what earlier asks found
  * @param failureState whether the failure of a cluster counts that the query needs
  */
final case class StepInput(
    basis: StepBasis,
    inactive: Set[ClusterId],
    seen: Map[ClusterId, ClusterObservation],
    answers: Question.Answers,
    now: Instant,
    known: LastKnown = LastKnown.nothing,
    failureState: FailureState = FailureState.Confirmed
) {
  def held: SourceOffset = basis.held
  def topology: Topology = basis.topology
  def roles: Roles       = basis.roles

  /** What each cluster answered, another Kafka cluster behind a known id being a failure. */
  lazy val recognised: Map[ClusterId, ClusterObservation] = ClusterObservation.recognised(held, seen)

  /** Kafka's id of a cluster, as far as it is known. */
  def kafkaId(cluster: ClusterId): Option[String] =
    held.clusters.get(cluster).flatMap(_.kafkaId).orElse(recognised.get(cluster).collect {
      case ClusterObservation.Answered(id, _) => id
    }.flatten)
}

/** What a step stands on: the offset that the query has reached, and what the metadata lists. */
final case class StepBasis(held: SourceOffset, topology: Topology) {

  /** Who reads which log, which follows from both. */
  lazy val roles: Roles = Roles.of(held, topology)
}

/** What every part of one step looks at. */
final class StepContext(val input: StepInput, val policy: ReconcilePolicy) {

  /** Who has a topic that several ids list, though nobody declared it. */
  val duplicates: Duplicates = Duplicates.of(input, policy)

  /** The positions that go over to another id. */
  val handOver: HandOver = HandOver.of(input, duplicates)
}

/** Whether the failure of a cluster counts that the query needs. Metadata and clusters never change at one moment, so it
  * counts only where the metadata, asked afterwards, still wants the cluster.
  */
sealed trait FailureState extends Product with Serializable

object FailureState {

  /** It does: a fetch that began afterwards still wants the cluster, or failed. */
  case object Confirmed extends FailureState

  /** Not yet: such a fetch is under way, and until then the cluster's positions are held. */
  case object Unconfirmed extends FailureState
}
