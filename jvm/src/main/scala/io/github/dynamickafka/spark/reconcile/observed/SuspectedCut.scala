package io.github.dynamickafka.spark.reconcile.observed

import java.time.Instant

import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.PartitionOffset
import io.github.dynamickafka.spark.reconcile.Question

/** A log that was seen to end before what was read of it, where Kafka can't prove whether it was cut off.
  *
  * @param asks the asks since then
  * @param short whether the last of them still saw it end there
  * @param lowest the lowest end that they saw. Records from there on were written after the truncation
  * @param unread how many records of the old log are known to have been unread
  * @param reported whether the last ask reported it, or still may. If not, nobody waits for what asks agree on
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

  private def and(asked: Instant, extent: Extent, short: Boolean): SuspectedCut =
    copy(asks.and(asked), short, if (short) Math.min(lowest, extent.written) else lowest, reported = true)
}

object SuspectedCut {

  /** Whether an answer looks as if the log was cut off, or comes from a leader of an earlier epoch. A position that the log
    * never reached lies beyond the end because the starting offsets say so.
    *
    * @param reached whether what is held says that the log once reached it
    * @param end how far the partition could be read before, if that is known
    */
  def suspicious(reached: Boolean, position: PartitionOffset, extent: Extent, end: Option[Long]): Boolean =
    extent.written < position.next &&
      (reached || end.exists(_ >= position.next)) || outdated(position, extent)

  private def outdated(position: PartitionOffset, extent: Extent): Boolean =
    position.epoch.exists(known => extent.epoch.exists(_ < known))

  /** What is suspected after one more ask; nothing once Kafka has proved the one or the other.
    *
    * @param before what was suspected of this position
    */
  def after(
      before: Option[SuspectedCut],
      reached: Boolean,
      position: PartitionOffset,
      id: PartitionId,
      extent: Extent,
      answers: Question.Answers,
      asked: Instant,
      known: LastKnown
  ): Option[SuspectedCut] = LogProof.of(id, position, extent, answers) match {
    case LogProof.Whole | LogProof.Cut(_) => None
    case LogProof.Open                    => before.map(_.copy(reported = true))
    case LogProof.Unknown                 =>
      val short = extent.written < position.next
      val end   = known.horizon.get(id)
      before.map(_.and(asked, extent, short)).orElse(Option.when(suspicious(reached, position, extent, end)) {
        val unread = end.fold(0L)(end => Math.max(0L, end - position.next))
        SuspectedCut(Agreement(asked, asked), short, extent.written, unread, position.incarnation)
      })
  }
}
