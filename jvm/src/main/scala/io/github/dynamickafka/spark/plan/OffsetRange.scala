package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.ids.{PartitionId, StreamId}

/** The offsets of one partition that one batch, or one task of it, reads: `from` until `until`, exclusive. */
final case class OffsetRange(id: PartitionId, from: Long, until: Long, stream: StreamId) {
  def size: Long = until - from
}
