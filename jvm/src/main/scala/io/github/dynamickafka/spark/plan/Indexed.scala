package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.plan.TimestampSkew.Bound

/** Where the records of a partition from a time on begin, by the brokers' index.
  *
  * @param time in milliseconds since the epoch
  * @param incarnation of the position when it was asked for: another log has other offsets
  * @param offset of the first of them; if there is none, how far the partition could be read when it was asked for
  */
final case class Indexed(time: Long, incarnation: Int, offset: Long) {

  /** How far a batch may read by it. Records may be appended since, and the bound may be later by now: what comes before
    * the offset is within the bound all the same.
    */
  def until(bound: Bound, look: LookAhead): Option[Long] = bound match {
    case Bound.UpTo(latest) if time - 1 <= latest && incarnation == look.position.incarnation => Some(offset)
    case _                                                                                    => None
  }
}
