package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.ListedCluster

/** A cluster that holds the records of another one at the same offsets. */
object Mirror {

  /** Where the partitions of standby and paused topics ended, by cluster and topic, when their cluster last answered. The
    * hand-over uses it to decide whether a mirror is behind. A partition that an answer leaves out keeps its end.
    *
    * @param before the ends that were known before
    * @param seen the answers of clusters that are still the same
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
      known = before.getOrElse(id -> name, Map.empty[Int, Long])
    } yield (id, name) -> (known ++ present.partitions.transform((_, extent) => extent.written)))
  }

  /** Where mirroring ended, by the starting offsets that name the partition. Records from there on are the mirror's own.
    *
    * @param id of the partition on the mirror
    * @param formers the ids under which the log was read before
    * @param least of a mirror that was one of them, a lower offset belongs to an earlier move, since the log was read
    *              further after it. Another one never had such a move
    */
  def ended(mirror: ListedCluster, id: PartitionId, formers: Set[ClusterId], least: Long): Option[Long] =
    mirror.startingOffsets.flatMap(_.rule.topics.get(id.topic)).flatMap(_.partitions.get(id.partition)).collect {
      case OffsetPoint.Exact(offset) if offset >= least || !formers(id.cluster) => offset
    }
}
