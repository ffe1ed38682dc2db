package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{Removal, SourceOffset, TopicOffset}

/** What earlier asks of this start found that is not in the checkpoint; after a restart it is found anew.
  *
  * @param failing since when the asks of a cluster have failed, those made just now included
  * @param ends how far each partition could be read when its cluster last answered
  * @param doubts what looks gone, by the asks made just now too
  * @param offset what the last step held, recorded or not
  */
final case class LastKnown(
    failing: Failing = Failing.none,
    ends: Map[ClusterId, Map[PartitionId, Long]] = Map.empty,
    doubts: Doubts = Doubts.none,
    offset: Option[SourceOffset] = None
) {

  /** Of a topic that the last step found removed, recorded or not. */
  def removal(cluster: ClusterId, topic: String): Option[Removal] =
    offset.flatMap(_.clusters.get(cluster)).flatMap(_.topics.get(topic)).flatMap(_.removal)

  /** How far a partition could be read when its cluster last answered. */
  def end(id: PartitionId): Option[Long] = ends.get(id.cluster).flatMap(_.get(id))

  /** How many records of a topic lie between what was read and its drain target; where that is not known, its end. */
  def lag(cluster: ClusterId, name: String, topic: TopicOffset): Long = {
    val targets = topic.removal.flatMap(_.targets)
    topic.partitions.iterator.map { case (partition, held) =>
      val until = targets.fold(end(PartitionId(cluster, name, partition)))(_.get(partition))
      until.fold(0L)(end => Math.max(0L, end - held.next))
    }.sum
  }
}

object LastKnown {
  val nothing: LastKnown = LastKnown()
}
