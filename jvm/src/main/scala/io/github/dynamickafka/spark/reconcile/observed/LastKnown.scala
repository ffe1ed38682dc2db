package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{Removal, TopicOffset}

/** What asks since the start have found and the checkpoint does not hold. After a restart it is found out again.
  *
  * @param failing since when the asks of a cluster have failed, those made just now included
  * @param ends how far each partition could be read when its cluster last answered
  * @param suspectedLosses what looks gone, with the asks made just now
  * @param held since when each topic that is held alone has been
  * @param mirrors where the partitions of topics that stand by ended when their cluster last answered
  */
final case class LastKnown(
    failing: FailingSince = FailingSince.none,
    ends: Map[ClusterId, Map[PartitionId, Long]] = Map.empty,
    suspectedLosses: SuspectedLosses = SuspectedLosses.none,
    held: Map[(ClusterId, String), Instant] = Map.empty,
    mirrors: Map[(ClusterId, String), Map[Int, Long]] = Map.empty
) {

  /** How long a topic has been held alone. */
  def heldFor(cluster: ClusterId, topic: String, now: Instant): Duration =
    held.get(cluster -> topic).fold(Duration.ZERO)(Duration.between(_, now))

  /** How far a partition could be read when its cluster last answered. */
  def end(id: PartitionId): Option[Long] = ends.get(id.cluster).flatMap(_.get(id))

  /** How many records of a topic lie between what was read and its drain target; where that is not known, its end. */
  def lag(cluster: ClusterId, name: String, topic: TopicOffset): Long =
    topic.partitions.iterator.map { case (partition, held) =>
      val until = topic.removal match {
        case Some(Removal.Until(_, targets)) => targets.get(partition)
        case _                               => end(PartitionId(cluster, name, partition))
      }
      until.fold(0L)(end => Math.max(0L, end - held.next))
    }.sum
}

object LastKnown {
  val nothing: LastKnown = LastKnown()
}
