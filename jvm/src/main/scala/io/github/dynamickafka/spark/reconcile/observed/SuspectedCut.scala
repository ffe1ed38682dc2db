package io.github.dynamickafka.spark.reconcile.observed

import java.time.Duration

import io.github.dynamickafka.spark.offsets.PartitionOffset

/** A log that was seen to end before what was read of it, where Kafka can't prove whether it was cut off.
  *
  * @param asks the asks since then
  * @param short whether the last of them still saw it end there
  * @param lowest the lowest end that they saw. Records from there on were written after the truncation
  * @param unread how many records of the old log are known to have been unread
  * @param reported whether the last answer had the partition, and left no proof open, or is still to come. If not, no step
  *                 waits until asks agree
  * @param incarnation of the position that lies beyond the end. A later incarnation belongs to another log
  */
final case class SuspectedCut(
    asks: Agreement,
    short: Boolean,
    lowest: Long,
    unread: Long,
    incarnation: Int,
    reported: Boolean = true
) {
  def isOf(position: PartitionOffset): Boolean = incarnation == position.incarnation

  /** Whether asks have agreed for long enough that it was cut off. However much it grows from then on, it was. */
  def agreed(spread: Duration): Boolean = short && asks.spans(spread)

  /** Whether it has grown again, and was held for long enough. */
  def grown(spread: Duration): Boolean = !short && asks.spans(spread)

  /** The same after one more ask. */
  def and(asked: Agreement, position: PartitionOffset, extent: Extent): SuspectedCut = {
    val short = extent.written < position.next
    copy(asks.and(asked), short, if (short) Math.min(lowest, extent.written) else lowest, reported = true)
  }
}

object SuspectedCut {

  /** A proven cut. No step waits for it. A mirror that takes over in the same step is held by it. */
  def proven(at: Long, position: PartitionOffset, asked: Agreement): SuspectedCut =
    SuspectedCut(asked, short = true, at, 0L, position.incarnation, reported = false)

  /** The suspicion after a first answer, if the log ends before a position that it had reached, or its leader has an
    * earlier epoch. A position that the log never reached comes from starting offsets, and is not suspected.
    *
    * @param reached whether what is held says that the log once reached it
    * @param end how far the partition could be read before, if that is known
    */
  def begun(
      reached: Boolean,
      position: PartitionOffset,
      extent: Extent,
      end: Option[Long],
      asked: Agreement
  ): Option[SuspectedCut] = {
    val short = extent.written < position.next
    Option.when(short && (reached || end.exists(_ >= position.next)) || outdated(position, extent)) {
      SuspectedCut(asked, short, extent.written, SuspectedLosses.Unread.of(position, end).records, position.incarnation)
    }
  }

  private def outdated(position: PartitionOffset, extent: Extent): Boolean =
    position.epoch.exists(known => extent.epoch.exists(_ < known))
}
