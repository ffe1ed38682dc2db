package io.github.dynamickafka.spark.metrics

import io.github.dynamickafka.spark.driver.memory.LastStep
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{ClusterOffset, SourceOffset}
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.{ListedCluster, Pause}

/** The state of one cluster, as in the metric `cluster.<id>.state`. */
sealed abstract class ClusterState(val name: String) extends Product with Serializable

object ClusterState {
  case object Reading     extends ClusterState("reading")
  case object Pending     extends ClusterState("pending")
  case object Standby     extends ClusterState("standby")
  case object Paused      extends ClusterState("paused")
  case object Draining    extends ClusterState("draining")
  case object Unavailable extends ClusterState("unavailable")
  case object Inactive    extends ClusterState("inactive")
  case object Duplicate   extends ClusterState("duplicate")
  case object Finished    extends ClusterState("finished")

  /** The state of each listed or draining cluster. A removed cluster that no longer drains is left out.
    *
    * @param consumed what the query has read
    */
  def of(last: LastStep, consumed: SourceOffset): Map[ClusterId, ClusterState] = {
    val listed      = last.survey.topology.clusters
    val unavailable = last.reconciled.unavailable
    val behind      = last.reconciled.notices.collect { case mirror: Notice.MirrorBehind => mirror.cluster }.toSet
    val duplicated  = last.reconciled.notices.collect { case duplicate: Notice.Duplicate => duplicate.cluster }.toSet
    (listed.keySet ++ last.reconciled.offset.clusters.keySet).iterator.flatMap { id =>
      val held  = consumed.clusters.get(id).orElse(last.reconciled.offset.clusters.get(id))
      val state = listed.get(id) match {
        case None          => held.filter(drains).map(_ => Draining)
        case Some(cluster) =>
          val failed = unavailable(id)
          if (paused(cluster)) Some(Paused)
          else if (last.reconciled.roles.standsBy(id) || behind(id)) Some(Standby)
          else if (cluster.topics.isEmpty) Some(unlisted(held))
          else if (failed && !cluster.active) Some(Inactive)
          else if (held.forall(_.pending.isDefined)) Some(Pending)
          else if (failed) Some(Unavailable)
          else if (duplicated(id)) Some(Duplicate)
          else if (held.exists(finished(_, cluster))) Some(Finished)
          else Some(Reading)
      }
      state.map(id -> _)
    }.toMap
  }

  private def paused(cluster: ListedCluster): Boolean =
    cluster.pause == Pause.Whole || cluster.topics.nonEmpty && cluster.topics.keysIterator.forall(cluster.pause.holds)

  /** Of a cluster without listed topics. A topic that is not removed waits for the cluster that continues it. */
  private def unlisted(held: Option[ClusterOffset]): ClusterState =
    if (held.exists(drains)) Draining
    else if (held.exists(_.topics.values.exists(_.removal.isEmpty))) Standby
    else Finished

  private def drains(cluster: ClusterOffset): Boolean =
    cluster.topics.values.exists(_.drains)

  private def finished(held: ClusterOffset, cluster: ListedCluster): Boolean = {
    val listed = held.topics.keySet.filter(cluster.topics.contains)
    listed.nonEmpty && listed.forall(held.finished)
  }
}
