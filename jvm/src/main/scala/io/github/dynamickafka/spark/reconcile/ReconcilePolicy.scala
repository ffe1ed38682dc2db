package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetRule
import io.github.dynamickafka.spark.options.{RemovalSettings, UnavailableClusterPolicy}
import io.github.dynamickafka.spark.reconcile.succession.Roles

/** The rules that a reconciler decides by.
  *
  * @param starting where the clusters of the first topology start; it names a point for every partition
  * @param newCluster where a cluster starts if the query does not know it; it names a point for every partition
  * @param agreement how long asks must agree before what looks gone counts as gone
  * @param batches whether a batch ends where it was planned to end, or also reads what comes while it runs
  */
final case class ReconcilePolicy(
    starting: OffsetRule,
    newCluster: OffsetRule,
    removal: RemovalSettings,
    unavailable: UnavailableClusterPolicy,
    failOnDataLoss: Boolean,
    agreement: Duration,
    batches: BatchKind = BatchKind.Planned
) {

  /** Whether the query fails if this cluster does not answer. */
  def needs(cluster: ClusterId, roles: Roles): Boolean =
    unavailable == UnavailableClusterPolicy.Fail && roles.topology.clusters.get(cluster).exists(_.active) &&
      roles.reads(cluster)
}

/** How far the batches of a query read. */
sealed trait BatchKind extends Product with Serializable

object BatchKind {

  /** To an end that is known before they run. */
  case object Planned extends BatchKind

  /** On and on, until the driver ends them: Spark's Real-Time Mode. */
  case object RealTime extends BatchKind
}
