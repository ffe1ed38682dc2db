package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology}

/** Decides whether a failure ends the query. Metadata and clusters never change at the same moment. So a failure counts
  * only if the query still needs the cluster by metadata that was fetched later. The order of calls decides what is
  * later.
  *
  *   - What was asked before it was needed never gets here: an answer counts only for the topology that it was asked for.
  *   - If that fetch fails, the failure counts.
  *   - In a frozen run no fetch is made: its topology does not change.
  */
object FailureJudge {

  /** @param clusters those that failed, or that can't be read in part; none: records are lost
    * @param basis what was held and listed when they failed
    * @param again the clusters of which another connection was tried already. Each fetch may bring one more
    */
  final case class Charge(clusters: Set[ClusterId], basis: StepBasis, again: Set[ClusterId] = Set.empty) {

    /** Whether one of the clusters is still needed and listed as it was. Without clusters: whether all is unchanged. */
    def stillCounts(newer: Topology, policy: ReconcilePolicy): Boolean = {
      val now = basis.copy(topology = newer)
      if (clusters.isEmpty) now == basis
      else clusters.exists { id =>
        def listing(topology: Topology) = topology.clusters.get(id)
          .map(own => if (again(id)) own.copy(connection = Right(ConnectionSettings.none)) else own)
        listing(newer) == listing(basis.topology) && policy.needs(id, now.roles)
      }
    }
  }

  /** What is known of a fetch that began after the failure. */
  sealed trait Later extends Product with Serializable

  object Later {
    final case class Lists(topology: Topology) extends Later
    case object Failed                         extends Later

    /** It is not over yet. */
    case object Pending extends Later

    /** None is made. */
    case object None extends Later
  }

  sealed trait Verdict extends Product with Serializable

  object Verdict {

    /** The failure ends the query. */
    case object Fails extends Verdict

    /** The metadata has changed: the clusters are asked again. */
    case object AskAgain extends Verdict

    /** Until the fetch is over, what failed is held. */
    case object Held extends Verdict
  }

  def verdict(charge: Charge, later: Later, policy: ReconcilePolicy): Verdict = later match {
    case Later.Lists(newer)        => if (charge.stillCounts(newer, policy)) Verdict.Fails else Verdict.AskAgain
    case Later.Failed | Later.None => Verdict.Fails
    case Later.Pending             => Verdict.Held
  }
}
