package io.github.dynamickafka.spark.metrics

import org.apache.spark.util.LongAccumulator

/** The sizes of the records that are read: keys, values and headers as Kafka holds them. A retried task counts twice,
  * which does not change the mean.
  *
  * @param records how many were read
  * @param bytes their total size
  * @param most about how many records a task measures; a mean needs no more
  */
final class RecordSizes(val records: LongAccumulator, val bytes: LongAccumulator, most: Long = Long.MaxValue)
    extends Serializable {

  /** Whether this task is to measure more. */
  def open: Boolean = records.value < most

  /** None before anything was read. */
  def mean: Option[Long] = Option.when(records.value > 0)(bytes.value / records.value)
}

private[metrics] object RecordSizes {
  // A poll is measured whole; to measure all records would cost some of the time of a read.
  val EnoughPerTask = 500L
}
