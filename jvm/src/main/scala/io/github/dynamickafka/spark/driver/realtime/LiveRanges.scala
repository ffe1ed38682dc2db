package io.github.dynamickafka.spark.driver.realtime

import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.reconcile.Reconciled

private[realtime] object LiveRanges {

  /** All that may be read after a step, from its positions on. */
  def of(step: Reconciled): Vector[OffsetRange] = (for {
    (id, name, here) <- step.live.topics
    topic            <- step.offset.topic(id, name).iterator
    (number, until)  <- here.iterator
    at               <- topic.partitions.get(number).iterator
  } yield OffsetRange(
    PartitionId(id, name, number),
    at.next,
    until,
    topic.stream,
    topic.kafkaId,
    RangeEpochs(at.epoch, None),
    removed = topic.removal.isDefined
  )).toVector
}
