package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.ListedCluster

/** A cluster that holds the records of another one at the same offsets. */
object Mirror {

  /** Where the partitions of topics that stand by end, by cluster and topic, as of the last answer while they stood by, or
    * were paused. That counts when a mirror is to go on, so it is remembered until then.
    *
    * @param before what was known before
    */
  def ends(
      before: Map[(ClusterId, String), Map[Int, Long]],
      roles: Roles,
      seen: Map[ClusterId, ClusterObservation]
  ): Map[(ClusterId, String), Map[Int, Long]] = {
    val standbys = roles.waiting.toSet
    val kept     = standbys ++ roles.successions.map { case (id, name, _) => id -> name }
    before.filter { case (name, _) => kept(name) } ++ (for {
      (id, name) <- standbys
      present    <- seen.get(id).flatMap(_.present(name))
    } yield (id, name) -> present.partitions.transform((_, extent) => extent.written))
  }

  /** Where mirroring ended, as the starting offsets by partition say it; records from there on are the mirror's own.
    *
    * @param least what lies lower was said of another move before: the log has been read beyond since
    */
  def ended(mirror: ListedCluster, id: PartitionId, least: Long): Option[Long] =
    mirror.startingOffsets.flatMap(_.rule.topics.get(id.topic)).flatMap(_.partitions.get(id.partition)).collect {
      case OffsetPoint.Exact(offset) if offset >= least => offset
    }
}
