package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.offsets.PartitionOffset

/** The times of the records behind one position.
  *
  * @param position where the look began
  * @param until the offset after all records that were looked at
  * @param later the first record that has a time, and each one that is later than all before it
  */
final case class LookAhead(position: PartitionOffset, until: Long, later: Vector[TimedOffset]) {

  /** The time of the next record, in milliseconds since the epoch; none if no record that was looked at has a time. */
  def time: Option[Long] = later.headOption.map(_.time)

  /** The offset of the first record later than this, or else the offset after all records that were looked at. */
  def end(latest: Long): Long = later.find(_.time > latest).fold(until)(_.offset)
}

/** A record's offset and its time, in milliseconds since the epoch. */
final case class TimedOffset(offset: Long, time: Long)

object LookAhead {

  /** @param found all records from the position to `until`, in order; a negative time means none
    */
  def of(position: PartitionOffset, until: Long, found: Iterator[TimedOffset]): LookAhead = {
    val later = found.foldLeft(Vector.empty[TimedOffset]) { (later, record) =>
      if (record.time >= 0 && later.lastOption.forall(_.time < record.time)) later :+ record else later
    }
    LookAhead(position, until, later)
  }
}
