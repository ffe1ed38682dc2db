package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Say}
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.{PartitionOffset, SourceOffset}

/** What a batch reads. It follows from the batch's two offsets alone. */
object OffsetRanges {

  /** The ranges between two offsets of one query, sorted by partition, without empty ones. Any number of offsets may have
    * been logged in between.
    *
    * @throws DynamicKafkaException `OFFSET_VERSION` if a position of `end` lies before that of `start`: the two do not
    *         belong together
    */
  def between(start: SourceOffset, end: SourceOffset): Vector[OffsetRange] = {
    val ranges =
      for {
        (cluster, held) <- end.clusters.iterator
        known = start.clusters.get(cluster)
        (topic, offsets) <- held.topics.iterator
        before = known.flatMap(_.topics.get(topic)).map(_.partitions)
        // Where both offsets share a topic's positions, nothing of it is read.
        if !before.exists(_ eq offsets.partitions)
        (partition, here) <- offsets.partitions.iterator
        id    = PartitionId(cluster, topic, partition)
        was   = before.flatMap(_.get(partition))
        from  = begin(id, was, here)
        range = OffsetRange(
          id,
          from,
          here.next,
          offsets.stream,
          offsets.kafkaId,
          epochs(was, here),
          removed = offsets.removal.isDefined
        )
        if range.size != 0
      } yield range
    // Sorted already, because the offset's maps are. To sort 10,000 would take a visible part of planning
    // (`make bench ARGS=driver`).
    ranges.toVector
  }

  private def begin(id: PartitionId, before: Option[PartitionOffset], here: PartitionOffset): Long = {
    val from = before.filter(_.incarnation == here.incarnation).fold(here.start)(_.next)
    if (from > here.next || before.exists(_.incarnation > here.incarnation)) throw backwards(id, before, here)
    from
  }

  // Where an incarnation begins, one answer set both its start and its end, or an earlier one the start.
  private def epochs(before: Option[PartitionOffset], here: PartitionOffset): RangeEpochs =
    if (here.epoch.isEmpty && before.forall(_.epoch.isEmpty)) RangeEpochs.unknown
    else RangeEpochs(before.filter(_.incarnation == here.incarnation).fold(here.epoch)(_.epoch), here.epoch)

  private def backwards(id: PartitionId, before: Option[PartitionOffset], here: PartitionOffset) = {
    val text = (offset: PartitionOffset) => s"[${offset.start},${offset.next},${offset.incarnation}]"
    DynamicKafkaException(
      Condition.OffsetVersion,
      say"The batch's offsets go backwards at $id: from ${before.fold("nothing")(text)} to ${text(here)} " +
        "(start, next, incarnation). The two offsets do not belong to one query: a file of the checkpoint was " +
        "replaced or edited. Restore the checkpoint, or use a new one."
    )
  }
}
