package io.github.dynamickafka.spark.reconcile.topic

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, TopicOffset}
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice

/** Positions that lie after the end of their log. The record before such a position was there once, unless nothing was
  * read yet: then the log was cut off, or the topic was created again.
  */
object BeyondEnd {

  /** Those up to which the query has read, with the end of the log. What is finished is left out. */
  def read(topic: TopicOffset, extents: Map[Int, Extent]): Vector[(Int, Long)] =
    all(topic, extents).collect { case (partition, held, end) if held.next > held.start => partition -> end }

  /** Whether the topic is known to be the one that was read. */
  def same(topic: TopicOffset, present: Present): Boolean =
    topic.kafkaId.exists(known => present.kafkaId.contains(known))

  def notices(cluster: ClusterId, name: String, topic: TopicOffset, extents: Map[Int, Extent]): Vector[Notice] =
    all(topic, extents).map { case (partition, held, end) =>
      Notice.BeyondEnd(PartitionId(cluster, name, partition), held, end)
    }

  private def all(topic: TopicOffset, extents: Map[Int, Extent]): Vector[(Int, PartitionOffset, Long)] =
    topic.partitions.iterator.filter { case (partition, held) =>
      extents.get(partition).exists(_.written < held.next) && !topic.ends.get(partition).exists(_ <= held.next)
    }.map { case (partition, held) => (partition, held, extents(partition).written) }.toVector
}
