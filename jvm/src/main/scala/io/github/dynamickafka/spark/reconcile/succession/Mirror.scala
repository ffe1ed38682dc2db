package io.github.dynamickafka.spark.reconcile.succession

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{OffsetPoint, SourceOffset}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.report.Notice
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
    val standbys = roles.waiting.toVector
    val answers  = standbys.flatMap { case (id, name) =>
      seen.get(id).flatMap(_.present(name)).map { present =>
        (id, name) -> present.partitions.transform((_, extent) => extent.written)
      }
    }
    val kept = standbys.toSet ++ roles.successions.map { case (id, name, _) => id -> name }
    before.filter { case (name, _) => kept(name) } ++ answers
  }

  /** Where mirroring ended, as the starting offsets by partition say it; records from there on are the mirror's own.
    *
    * @param least what lies lower was said of another move before: the log has been read beyond since
    */
  def ended(mirror: ListedCluster, id: PartitionId, least: Long): Option[Long] =
    mirror.startingOffsets.flatMap(_.rule.topics.get(id.topic)).flatMap(_.partitions.get(id.partition)).collect {
      case OffsetPoint.Exact(offset) if offset >= least => offset
    }

  /** The topics that began to be read in this step and that another Kafka cluster has by the same id of Kafka's.
    *
    * @param now after the step
    */
  def undeclared(before: SourceOffset, now: SourceOffset): Vector[Notice] = {
    def known(topic: Read) =
      before.clusters.get(topic.cluster).flatMap(_.topics.get(topic.name)).exists(_.kafkaId.isDefined)
    val begun = read(now).filterNot(known).toVector
    if (begun.isEmpty) Vector.empty
    else {
      val same = read(now).toVector.groupBy(topic => topic.name -> topic.kafkaTopicId)
      begun.flatMap { topic =>
        // Of two that begin at once, the warning is about the second.
        def first(one: Read) = known(one) || Ordering[ClusterId].lt(one.cluster, topic.cluster)
        same(topic.name -> topic.kafkaTopicId).find(one => one.kafkaId != topic.kafkaId && first(one))
          .map(one => Notice.Mirrored(topic.cluster, one.cluster, topic.name))
      }
    }
  }

  final private case class Read(cluster: ClusterId, kafkaId: Option[String], name: String, kafkaTopicId: String)

  private def read(offset: SourceOffset): Iterator[Read] = for {
    (id, cluster) <- offset.clusters.iterator
    (name, topic) <- cluster.topics.iterator if topic.removal.isEmpty
    kafkaTopicId  <- topic.kafkaId.iterator
  } yield Read(id, cluster.kafkaId, name, kafkaTopicId)
}
