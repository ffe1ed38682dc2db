package io.github.dynamickafka.spark.plan

import java.time.Duration

/** The limits of one batch.
  *
  * @param most how many offsets it reads at most, over all partitions; none: any number
  * @param least how many offsets must be there before it reads any
  * @param aligned whether `maxTimestampSkew` applies, where it is set
  */
final case class ReadLimits(most: Option[Long], least: Option[Least], aligned: Boolean) {

  /** The same, without waiting for more offsets. */
  def eager: ReadLimits = copy(least = None)
}

/** @param offsets how many, over all partitions
  * @param patience how long fewer offsets may wait
  */
final case class Least(offsets: Long, patience: Duration)

object ReadLimits {

  /** Everything, at once. */
  val everything: ReadLimits = ReadLimits(None, None, aligned = false)

  /** The assumed size of a record before the first one is read. */
  val AssumedSize: Long = 1024

  /** How many records have about so many bytes; at least one.
    *
    * @param seen how many records have been read so far
    * @param seenBytes how large they were together
    */
  def records(bytes: Long, seen: Long, seenBytes: Long): Long =
    if (seen <= 0) (bytes / AssumedSize).max(1)
    else if (seenBytes <= 0) Long.MaxValue
    else (BigInt(bytes) * seen / seenBytes).max(1).min(Long.MaxValue).toLong
}
