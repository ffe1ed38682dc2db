package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.errors.{Say, Wording}
import io.github.dynamickafka.spark.ids.{PartitionId, StreamId}

/** The offsets of one partition that one batch, or one task of it, reads: `from` until `until`, exclusive.
  *
  * @param kafkaId Kafka's id of the topic, if it is known
  * @param epochs the leader epochs with which Kafka can prove that the log still is the one that was planned
  * @param removed whether the metadata do not list the topic any more. If it is created again, nothing is lost
  */
final case class OffsetRange(
    id: PartitionId,
    from: Long,
    until: Long,
    stream: StreamId,
    kafkaId: Option[String] = None,
    epochs: RangeEpochs = RangeEpochs.unknown,
    removed: Boolean = false
) {
  def size: Long = until - from

  /** The part between these offsets. */
  def part(from: Long, until: Long): OffsetRange = copy(
    from = from,
    until = until,
    // An epoch proves only what lies before the end that its answer has set.
    epochs = if (from == this.from) epochs else epochs.copy(from = epochs.until)
  )

  /** For errors and warnings. */
  def wording: Wording = OffsetRange.wording(id, from, until)
}

object OffsetRange {

  /** The same of a range without its stream. */
  def wording(id: PartitionId, from: Long, until: Long): Wording = say"$id offsets=$from until $until"
}

/** Leader epochs of a range, as far as they are known.
  *
  * @param from of the answer that set its start. A log that was cut below the start since then has a later epoch there
  * @param until of the answer that set its end. All records of the range have this epoch or an earlier one, unless the log
  *              was cut after the range was planned
  */
final case class RangeEpochs(from: Option[Int], until: Option[Int])

object RangeEpochs {
  val unknown: RangeEpochs = RangeEpochs(None, None)
}
