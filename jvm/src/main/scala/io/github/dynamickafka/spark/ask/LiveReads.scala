package io.github.dynamickafka.spark.ask

import java.time.Instant

import io.github.dynamickafka.spark.ids.PartitionId

/** Until when the positions of a query in Real-Time Mode may have moved. An answer that was asked for earlier may show the
  * end of a log below its position, though nothing was cut off.
  *
  * @param last when the newest batch last reported that a position has moved
  * @param began when that batch began. What it does not read has not moved since
  */
final case class LiveReads(last: Map[PartitionId, Instant], began: Instant) {

  def moved(id: PartitionId, since: Instant): Boolean =
    since.isBefore(last.getOrElse(id, began))
}
