package io.github.dynamickafka.spark.driver

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.TopicOffset
import io.github.dynamickafka.spark.reconcile.{ClusterObservation, HeldTopics}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Answered
import io.github.dynamickafka.spark.reconcile.TopicObservation.Present

/** How far what is held alone could be read if it might be: it still counts in the lag. */
object HeldHorizon {

  /** As the brokers report it where they do, as when READ alone is missing; else as last known.
    *
    * @param topics what the query holds of the cluster
    * @param before how far each partition could be read before
    */
  def of(
      alone: HeldTopics,
      topics: collection.Map[String, TopicOffset],
      seen: Map[ClusterId, ClusterObservation],
      before: PartitionMap[Long]
  ): Map[PartitionId, Long] = {
    val answer = seen.get(alone.cluster).collect { case Answered(_, told) => told }
    (for {
      (name, hindrance) <- alone.topics.iterator
      topic             <- topics.get(name).iterator
      extents = answer.flatMap(_.get(name)).collect { case present: Present => present.partitions }
      (number, held) <- topic.partitions.iterator if hindrance.holds(number)
      id   = PartitionId(alone.cluster, name, number)
      told = extents.flatMap(_.get(number)).map(_.latest)
      end <- told.map(bounded(topic, number, _)).orElse(before.get(id)) if end > held.next
    } yield id -> end).toMap
  }

  private def bounded(topic: TopicOffset, partition: Int, end: Long): Long = {
    val drained = topic.removal.flatMap(_.targets).map(_.getOrElse(partition, 0L))
    (topic.ends.get(partition) ++ drained).foldLeft(end)(Math.min(_, _))
  }
}
