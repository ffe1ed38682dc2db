package io.github.dynamickafka.spark.backlog

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** What brokers report of one topic.
  *
  * @param by the cluster that was asked: the topic's own, or the one that continues it
  * @param at when it was asked, in milliseconds since the epoch. The report includes all records that were written before
  * @param extents by partition, its first and last offsets
  */
final case class TopicReport(by: ClusterId, at: Long, extents: Map[Int, Extent])
