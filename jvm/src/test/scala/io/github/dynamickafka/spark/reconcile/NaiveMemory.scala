package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import io.github.dynamickafka.spark.fakes.FakeKafka.Name
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.reconcile.NaiveOffsets.Ends

/** What a naive reader remembers of clusters and topics. */
object NaiveMemory {

  /** A removed topic.
    *
    * @param targets the partitions that drain, each with its end once that is known; none before they are known
    * @param ends where its partitions end, by the text that it was listed with
    */
  final case class Gone(at: Instant, targets: Option[Map[PartitionId, Option[Long]]], ends: Ends) {

    /** The partitions that have something left to read, or may have. */
    def left(name: Name, next: Map[PartitionId, Long]): Set[PartitionId] = targets.fold(
      next.filter(NaiveReader.in(name)).keySet + NaiveReader.partition(name, 0)
    )(_.collect { case (id, end) if end.forall(end => next.get(id).exists(_ < end)) => id }.toSet)

    def unfinished(name: Name, next: Map[PartitionId, Long]): Boolean = left(name, next).nonEmpty
  }
}
