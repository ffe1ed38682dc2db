package io.github.dynamickafka.spark.plan

import java.time.Duration

/** What the limits of one batch come to.
  *
  * @param most offsets over all partitions; none: any number
  * @param least how much must wait for any of it to be read
  * @param aligned whether a limit on the skew of the records' times counts, where there is one
  */
final case class Allowance(most: Option[Long], least: Option[Least], aligned: Boolean) {

  /** The same, with nothing held back until more has come. */
  def eager: Allowance = copy(least = None)
}

/** @param offsets over all partitions
  * @param patience how long fewer may be held back
  */
final case class Least(offsets: Long, patience: Duration)

object Allowance {

  /** All there is, at once. */
  val everything: Allowance = Allowance(None, None, aligned = false)

  /** Assumed of a record before the first is read. */
  val AssumedSize: Long = 1024

  /** How many records so many bytes are, one at least.
    *
    * @param seen how many records have been read so far
    * @param seenBytes how large they were together
    */
  def records(bytes: Long, seen: Long, seenBytes: Long): Long =
    if (seen <= 0) (bytes / AssumedSize).max(1)
    else if (seenBytes <= 0) Long.MaxValue
    else (BigInt(bytes) * seen / seenBytes).max(1).min(Long.MaxValue).toLong
}
