package io.github.dynamickafka.spark.backlog

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.Extent

/** What brokers report of one topic.
  *
  * @param by the cluster that was asked: the topic's own, or the one that continues for it
  * @param at when it was asked, in milliseconds since the epoch. All that was written before is in the report
  */
final case class TopicReport(by: ClusterId, at: Long, extents: Map[Int, Extent])
