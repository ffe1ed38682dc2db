package io.github.dynamickafka.spark.realtime

import io.github.dynamickafka.spark.offsets.{Begun, SourceOffset}

/** What has begun in a batch that may not be committed, as it is kept beside the checkpoint. There is one at most: nothing is
  * written before all earlier batches are committed.
  *
  * @param stored what is written, by this start of the query or an earlier one
  * @param marked whether this start has written that its batches are of Real-Time Mode
  */
final case class Beginnings(stored: Option[Begun], marked: Boolean = false) {
  import Beginnings.Next

  /** What the query holds where Spark starts from this offset. */
  def held(start: SourceOffset): SourceOffset = stored.fold(start)(_.from(start))

  /** A real-time batch begins. What is returned must be written before a record of it is read, and after the batch before is
    * committed: it replaces what that one had begun with.
    *
    * @param start the offset from which Spark starts it
    * @param begun the same, with all that begins in it
    */
  def begins(start: SourceOffset, begun: SourceOffset): Next =
    if (marked && held(start) == begun) Next(this, None)
    else {
      val now = Begun.of(start, begun)
      Next(Beginnings(Some(now), marked = true), Some(now))
    }

  /** A batch of another trigger is to be logged. */
  def leaves: Next = changed(_.copy(realTime = false))

  /** The same, where it begins at `start` and ends at `next`. Once an offset is logged behind a beginning, or the query is
    * again where that began, the beginning no longer counts.
    *
    * @param back whether Spark may still start from an earlier offset again, as with asynchronous progress
    */
  def leaves(start: SourceOffset, next: SourceOffset, back: Boolean): Next = changed { kept =>
    val batch = kept.batch.filter(one => if (one.startsAt(start)) next != start else back && !one.startsAt(next))
    Begun(batch, realTime = false)
  }

  private def changed(change: Begun => Begun): Next = stored.map(kept => kept -> change(kept)) match {
    case Some((kept, now)) if now != kept => Next(copy(stored = Some(now)), Some(now))
    case _                                => Next(this, None)
  }
}

object Beginnings {

  /** @param write what must be durable first, if anything */
  final case class Next(now: Beginnings, write: Option[Begun])
}
