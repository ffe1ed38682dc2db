package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.plan.TimestampSkew.Bound

/** The first record of a partition at or after a time, by the brokers' index.
  *
  * @param time in milliseconds since the epoch
  * @param incarnation of the position when it was asked for: another log has other offsets
  * @param offset of that record; if there is none, how far the partition could be read when it was asked for
  */
final case class Indexed(time: Long, incarnation: Int, offset: Long) {

  /** How far a batch may read by it. Records may have been appended since, and the bound may be later now: all before
    * the offset is still within the bound.
    */
  def until(bound: Bound, look: LookAhead): Option[Long] = bound match {
    case Bound.UpTo(latest) if time - 1 <= latest && incarnation == look.position.incarnation => Some(offset)
    case _                                                                                    => None
  }
}
