package io.github.dynamickafka.spark.driver.bounded

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What a batch read reads. It does not change any more.
  *
  * @param kafkaIds Kafka's ids of the clusters, as far as they are known
  */
final case class BoundedRead(
    ranges: Vector[OffsetRange],
    connections: Map[ClusterId, ConnectionSettings],
    kafkaIds: Map[ClusterId, String] = Map.empty
)
