package io.github.dynamickafka.spark.metrics

import org.apache.spark.util.LongAccumulator

/** The sizes of the records that are read: keys, values and headers as Kafka holds them. A retried task counts twice,
  * which does not change the mean.
  *
  * @param records how many were read
  * @param bytes their total size
  */
final class RecordSizes(val records: LongAccumulator, val bytes: LongAccumulator) extends Serializable
