package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.errors.{Say, Wording}
import io.github.dynamickafka.spark.ids.{PartitionId, StreamId}

/** The offsets of one partition that one batch, or one task of it, reads: `from` until `until`, exclusive.
  *
  * @param kafkaId Kafka's id of the topic, if it is known
  */
final case class OffsetRange(
    id: PartitionId,
    from: Long,
    until: Long,
    stream: StreamId,
    kafkaId: Option[String] = None
) {
  def size: Long = until - from

  /** For errors and warnings. */
  def wording: Wording = OffsetRange.wording(id, from, until)
}

object OffsetRange {

  /** The same of a range without its stream. */
  def wording(id: PartitionId, from: Long, until: Long): Wording = say"$id offsets=$from until $until"
}
