package io.github.dynamickafka.spark.driver.report

import io.github.dynamickafka.spark.deferral.ClusterDeferral
import io.github.dynamickafka.spark.driver.memory.DriverState
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.poll.PollState

/** What one query knows at a moment, for those who report it.
  *
  * @param poll the latest answer of the metadata service, and its health
  * @param deferred by cluster, how many deferred records are not read yet
  * @param lastDeferrals the last deferral of each cluster
  */
final case class DriverView(
    state: DriverState,
    poll: PollState,
    deferred: Map[ClusterId, Long],
    lastDeferrals: Map[ClusterId, ClusterDeferral],
    removal: RemovedClusterPolicy
)
