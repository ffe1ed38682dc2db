package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.offsets.PartitionOffset

/** Where to look for the time of the next record.
  *
  * @param until where the log ends (exclusive); a look waits for nothing behind it
  */
final case class TimestampLookup(position: PartitionOffset, until: Long)
