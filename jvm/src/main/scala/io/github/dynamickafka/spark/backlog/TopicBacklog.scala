package io.github.dynamickafka.spark.backlog

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId

/** A topic with records that are written and not read.
  *
  * @param partitions at least one
  */
final case class TopicBacklog(cluster: ClusterId, topic: String, partitions: SortedMap[Int, PartitionBacklog]) {

  /** Since when the worst partition waits, in milliseconds since the epoch. */
  def since: Long = partitions.valuesIterator.map(_.since).min

  /** When retention will delete unread records of it, if that is known. */
  def lostAt: Option[Long] = partitions.valuesIterator.flatMap(_.lostAt).minOption
}
