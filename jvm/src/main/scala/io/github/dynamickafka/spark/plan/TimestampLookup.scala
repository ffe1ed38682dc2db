package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.offsets.PartitionOffset

/** A lookup of the timestamp of the next record after a position.
  *
  * @param until where the log ends (exclusive); the lookup does not wait for records after it
  * @param kafkaId Kafka's id of the cluster that has the log, if it is known
  */
final case class TimestampLookup(position: PartitionOffset, until: Long, kafkaId: Option[String] = None)
