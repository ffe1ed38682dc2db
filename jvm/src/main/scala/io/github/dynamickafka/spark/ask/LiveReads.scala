package io.github.dynamickafka.spark.ask

import java.time.Instant

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}

/** Until when the positions of a query in Real-Time Mode may have moved. An answer that was asked for earlier may show the
  * end of a log below its position, though nothing was cut off.
  *
  * @param now until then the positions of partitions that are read may have moved
  * @param read the partitions that the newest batch reads
  * @param stopped the clusters that its readers no longer read, with the time when they reported it
  * @param began when that batch began. What it does not read has not moved since
  */
final case class LiveReads(now: Instant, read: Set[PartitionId], stopped: Map[ClusterId, Instant], began: Instant) {

  def moved(id: PartitionId, since: Instant): Boolean =
    since.isBefore(if (read(id)) stopped.getOrElse(id.cluster, now) else began)
}
