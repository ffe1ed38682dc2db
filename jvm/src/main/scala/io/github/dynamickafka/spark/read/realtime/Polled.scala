package io.github.dynamickafka.spark.read.realtime

import io.github.dynamickafka.spark.columns.RecordBatch
import io.github.dynamickafka.spark.ids.ClusterId

/** What one poll has brought of one cluster.
  *
  * @param parts its partitions, in the order of the records
  */
final private[realtime] case class Polled(cluster: ClusterId, batch: RecordBatch, parts: Vector[PolledPart])

/** The records of one partition in a poll.
  *
  * @param range its number in the batch
  * @param from the index of its first record, `until` that behind its last one; equal where the partition only moved over
  *             offsets without a record
  * @param next the offset behind all that the poll brought, with its leader epoch
  */
final private[realtime] case class PolledPart(range: Int, from: Int, until: Int, next: Long, epoch: Option[Int])
