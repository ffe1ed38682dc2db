package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetRule
import io.github.dynamickafka.spark.options.{RemovalSettings, UnavailableClusterPolicy}
import io.github.dynamickafka.spark.reconcile.succession.Roles
import io.github.dynamickafka.spark.reconcile.topic.Endings

/** The rules that a reconciler decides by.
  *
  * @param starting where the clusters of the first topology start; it names a point for every partition
  * @param newCluster where a cluster starts if the query does not know it; it names a point for every partition
  * @param agreement how long asks must agree before what looks gone counts as gone
  * @param settling how long after the first answer a cluster is asked where a drain ends
  * @param batches whether a batch ends where it was planned to end, or also reads what comes while it runs
  */
final case class ReconcilePolicy(
    starting: OffsetRule,
    newCluster: OffsetRule,
    removal: RemovalSettings,
    unavailable: UnavailableClusterPolicy,
    failOnDataLoss: Boolean,
    agreement: Duration,
    settling: Duration,
    batches: BatchKind = BatchKind.Planned
) {

  /** Whether the query fails if this cluster does not answer. One that is read to its end is asked only for its drains, or
    * because it was off the list.
    */
  def needs(cluster: ClusterId, roles: Roles): Boolean =
    unavailable == UnavailableClusterPolicy.Fail && roles.reads(cluster) &&
      roles.topology.clusters.get(cluster).exists(listed =>
        listed.active && !Endings.over(roles.held.clusters.get(cluster), listed)
      )
}

/** How far the batches of a query read. */
sealed trait BatchKind extends Product with Serializable

object BatchKind {

  /** To an end that is known before they run. */
  case object Planned extends BatchKind

  /** On and on, until the driver ends them: Spark's Real-Time Mode. */
  case object RealTime extends BatchKind
}
