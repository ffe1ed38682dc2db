package io.github.dynamickafka.spark.realtime

import io.github.dynamickafka.spark.offsets.{Begun, SourceOffset}

/** What has begun in batches that may not be committed, as it is kept beside the checkpoint.
  *
  * @param stored what is written, by this start of the query or an earlier one
  * @param starts where the batches of this start have begun since the last committed offset
  * @param marked whether this start has written that its batches are of Real-Time Mode
  */
final case class Beginnings(stored: Option[Begun], starts: Vector[String] = Vector.empty, marked: Boolean = false) {
  import Beginnings.Next

  /** What the query holds where Spark starts from this offset. */
  def held(start: SourceOffset): SourceOffset = stored.fold(start)(_.from(start))

  /** A real-time batch begins. What is returned must be written before a record of it is read.
    *
    * @param start the offset from which Spark starts it
    * @param begun the same, with all that begins in it
    */
  def begins(start: SourceOffset, begun: SourceOffset): Next = {
    val all  = (starts :+ Begun.digest(start)).distinct
    val next = Begun(all, begun)
    if (marked && held(start) == begun) Next(copy(starts = all), None)
    else Next(Beginnings(Some(next), all, marked = true), Some(next))
  }

  /** Batches up to this offset are committed. Spark never starts from an earlier one again. */
  def committed(end: SourceOffset): Beginnings =
    if (starts.isEmpty) this
    else copy(starts = starts.drop(Some(starts.indexOf(Begun.digest(end))).filter(_ >= 0).getOrElse(starts.size)))

  /** A batch of another trigger is to be logged. */
  def leaves: Next = stored.filter(_.realTime).map(_.copy(realTime = false)) match {
    case Some(over) => Next(copy(stored = Some(over)), Some(over))
    case None       => Next(this, None)
  }
}

object Beginnings {

  /** @param write what must be durable first, if anything */
  final case class Next(now: Beginnings, write: Option[Begun])
}
