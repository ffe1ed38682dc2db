package io.github.dynamickafka.spark.reconcile.observed

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, SourceOffset}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.topic.BeyondEnd

/** What is known of a log that ends before what was read of it, while it is doubted whether it was cut off.
  *
  * @param lowest the lowest end that was seen since: what lies there by now was written after the cut
  * @param unread how many records of the old log were known that had not been read
  * @param incarnation of the position that lies beyond the end: a later one was read of another log
  */
final case class CutLog(lowest: Long, unread: Long, incarnation: Int) {
  def isOf(position: PartitionOffset): Boolean = incarnation == position.incarnation
}

object CutLog {

  /** Those of one more ask; a log that is whole again is known no more.
    *
    * @param before those of the ask before
    * @param ends how far a partition could be read before, as far as is known
    */
  def asked(
      before: Map[PartitionId, CutLog],
      held: SourceOffset,
      seen: Map[ClusterId, ClusterObservation],
      ends: PartitionId => Option[Long]
  ): Map[PartitionId, CutLog] = (for {
    (id, answer: Answered)   <- seen.iterator
    cluster                  <- held.clusters.get(id).iterator
    (name, present: Present) <- answer.topics.iterator
    topic                    <- cluster.topics.get(name).iterator
    (partition, end)         <- BeyondEnd.read(topic, present.partitions)
    here     = PartitionId(id, name, partition)
    position = topic.partitions(partition)
    unread   = ends(here).fold(0L)(known => Math.max(0L, known - position.next))
    first    = CutLog(end, unread, position.incarnation)
  } yield here -> before.get(here).filter(_.isOf(position)).fold(first)(log =>
    log.copy(lowest = Math.min(log.lowest, end))
  )).toMap
}
