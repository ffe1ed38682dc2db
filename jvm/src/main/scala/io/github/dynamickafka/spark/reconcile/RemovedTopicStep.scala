package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, Removal, TopicOffset}
import io.github.dynamickafka.spark.reconcile.TopicObservation.{Absent, Present}

/** One step of a topic that the metadata does not list any more: it drains up to its targets, is kept for its retention,
  * and then forgotten.
  */
final class RemovedTopicStep(cluster: ClusterId, situation: Situation, policy: ReconcilePolicy) {

  def step(name: String, topic: TopicOffset, seen: Option[TopicObservation]): Either[Failure, TopicStep] = {
    // A topic that was deleted, or deleted and created again, has nothing left of what was listed.
    val extents = seen.collect {
      case Present(id, partitions) if !topic.kafkaId.exists(known => id.exists(_ != known)) => partitions
    }
    val gone    = seen.contains(Absent) || (seen.isDefined && extents.isEmpty)
    val removal = RemovedTopic.removal(topic, extents, gone, policy.removal, situation.now)
    // Recorded at once even where nothing is left to drain: what is written later was never listed.
    val found = topic.removal.flatMap(_.targets).isEmpty && removal.targets.isDefined
    val now   = joined(topic.copy(removal = Some(removal)), removal, extents)
    if (RemovedTopic.expired(now, extents.isDefined, policy.removal.retention, situation.now)) Right(TopicStep(None))
    else extents.fold[Either[Failure, TopicStep]](Right(TopicStep(Some(now))))(drained(name, now, removal, _, found))
  }

  /** A partition that has a target and was not held yet begins at its first record. */
  private def joined(topic: TopicOffset, removal: Removal, extents: Option[Map[Int, Extent]]): TopicOffset = {
    val added = for {
      targets             <- removal.targets.toVector
      known               <- extents.toVector
      (partition, extent) <- known
      if targets.contains(partition) && !topic.partitions.contains(partition)
    } yield partition -> PartitionOffset(extent.earliest, extent.earliest, situation.held.nextIncarnation)
    topic.copy(partitions = topic.partitions ++ added)
  }

  private def drained(
      name: String,
      topic: TopicOffset,
      removal: Removal,
      extents: Map[Int, Extent],
      found: Boolean
  ): Either[Failure, TopicStep] = {
    def target(partition: Int): Option[Long] = removal.targets.map(_.getOrElse(partition, 0L))
    AgedOut.skip(cluster, name, topic, extents, target, policy.failOnDataLoss).map { aged =>
      val readable = TopicStep.readable(
        aged.topic,
        partition =>
          for {
            until  <- target(partition)
            extent <- extents.get(partition)
          } yield Math.min(until, extent.latest)
      )
      TopicStep(Some(aged.topic), urgent = found || aged.notices.nonEmpty, readable, aged.notices)
    }
  }
}
