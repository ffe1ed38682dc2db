package io.github.dynamickafka.spark.backlog

import io.github.dynamickafka.spark.backlog.Deletions.Step

/** What Kafka's retention has deleted of a partition while records of it wait to be read. Retention deletes whole
  * segments, so the oldest record moves in steps. Compaction does not move it.
  *
  * @param earliest the offset of the oldest record
  * @param steps the last deletions that were seen, the oldest one first
  */
final case class Deletions(earliest: Long, steps: Vector[Step] = Vector.empty) {

  /** After one more ask of the brokers. The same object if nothing was deleted. A broker that is behind may report an
    * older record again.
    *
    * @param at when they were asked, in milliseconds since the epoch
    * @param position the next offset to read
    */
  def asked(at: Long, earliest: Long, position: Long): Deletions =
    if (this.earliest == Deletions.unknown.earliest) Deletions(earliest)
    else if (earliest <= this.earliest) this
    else Deletions(earliest, Deletions.recent(steps :+ Step(at, earliest, position)))
}

object Deletions {

  /** Before the brokers were asked. */
  val unknown: Deletions = Deletions(Long.MinValue)

  /** One deletion.
    *
    * @param at when it was noticed, in milliseconds since the epoch
    * @param earliest the offset of the oldest record that it left
    * @param position the next offset to read at that time
    */
  final case class Step(at: Long, earliest: Long, position: Long)

  // Long enough to measure a speed, and short enough to notice soon that reading has stopped.
  private val Span = 3600000L
  private val Most = 16

  private def recent(steps: Vector[Step]): Vector[Step] =
    if (steps.sizeIs > Most || steps.sizeIs > 2 && steps.last.at - steps(1).at >= Span) recent(steps.tail) else steps
}
