package io.github.dynamickafka.spark.reconcile

import java.time.Instant

import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.OffsetRule

/** What a naive reader remembers of clusters and topics. */
object NaiveMemory {

  /** A cluster that was listed and not reached yet: its rule, and where its partitions ended then. */
  final case class Waiting(rule: OffsetRule, ends: Map[(String, Int), Long])

  final case class Gone(at: Instant, targets: Option[Map[PartitionId, Long]]) {
    def unfinished(next: Map[PartitionId, Long]): Boolean =
      targets.forall(_.exists { case (id, end) => next.get(id).exists(_ < end) })
  }
}
