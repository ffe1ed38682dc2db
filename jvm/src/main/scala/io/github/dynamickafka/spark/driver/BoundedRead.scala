package io.github.dynamickafka.spark.driver

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What a batch read reads. It does not change any more. */
final case class BoundedRead(ranges: Vector[OffsetRange], connections: Map[ClusterId, ConnectionSettings])
