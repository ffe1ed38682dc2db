package io.github.dynamickafka.spark.realtime

import io.github.dynamickafka.spark.offsets.{Begun, Deferred, SourceOffset}

/** What has begun in batches that may not be committed, as it is kept beside the checkpoint.
  *
  * @param stored what is written, by this start of the query or an earlier one
  * @param batches of this start, since the last committed offset
  * @param marked whether this start has written that its batches are of Real-Time Mode
  */
final case class Beginnings(
    stored: Option[Begun],
    batches: Vector[Begun.Batch] = Vector.empty,
    marked: Boolean = false
) {
  import Beginnings.Next

  /** What the query holds where Spark starts from this offset.
    *
    * @param deferred by the batch that ends there
    */
  def held(start: SourceOffset, deferred: Deferred = Deferred.nothing): SourceOffset =
    stored.fold(start)(_.from(start, deferred))

  /** A real-time batch begins. What is returned must be written before a record of it is read.
    *
    * @param start the offset from which Spark starts it
    * @param begun the same, with all that begins in it
    * @param deferred by the batch that ends at the start
    */
  def begins(start: SourceOffset, begun: SourceOffset, deferred: Deferred = Deferred.nothing): Next = {
    val own = Begun.Batch(start, deferred, begun)
    val all = batches.filter(_.start != own.start) :+ own
    if (marked && held(start, deferred) == begun) Next(copy(batches = all), None)
    else Next(Beginnings(Some(Begun(all)), all, marked = true), Some(Begun(all)))
  }

  /** Batches up to this offset are committed. Spark never starts from an earlier one again. */
  def committed(end: SourceOffset): Beginnings =
    if (batches.isEmpty) this
    else {
      val at = Begun.digest(end)
      copy(batches = batches.dropWhile(_.start != at))
    }

  /** A batch of another trigger is to be logged. */
  def leaves: Next = changed(_.copy(realTime = false))

  /** The same, where it begins at this offset. Once an offset is logged behind a beginning, or the query is again where
    * that began, the beginning no longer counts.
    */
  def leaves(start: SourceOffset, next: SourceOffset): Next = changed { kept =>
    def at = Begun.digest(start)
    kept.copy(
      batches = if (kept.batches.isEmpty || next == start) Vector.empty else kept.batches.dropWhile(_.start != at),
      realTime = false
    )
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
