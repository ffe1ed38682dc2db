package io.github.dynamickafka.spark.metrics

import org.apache.spark.util.LongAccumulator

/** How large the records are that are read: keys, values and headers as Kafka holds them. A retried task counts twice,
  * which leaves the mean as it is.
  *
  * @param records how many were read
  * @param bytes how large they were together
  */
final class RecordSizes(val records: LongAccumulator, val bytes: LongAccumulator) extends Serializable
