package io.github.dynamickafka.spark.cli

import java.time.Duration

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.kafka.consumer.{KafkaConsumers, TimeProbes}
import io.github.dynamickafka.spark.plan.TimestampLookup
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Reads the times of the next records: one small fetch for each partition that has one, at most 64 KiB if its record
  * batches are no larger.
  */
final private[cli] class NextRecords(connections: Map[ClusterId, ConnectionSettings], timeout: Duration)
    extends AutoCloseable {
  private val probes = new TimeProbes(KafkaConsumers, ClusterProbes.Prefix, timeout, "cli")

  probes.keep(connections)

  /** In milliseconds since the epoch; a record without a time is left out. Or why a cluster does not give its times. */
  def times(from: Map[PartitionId, TimestampLookup]): (Map[PartitionId, Long], Map[ClusterId, Failure]) = {
    val (failed, found) = from.groupBy(_._1.cluster).map {
      case (id, positions) => id -> probes.looking(id, positions)
    }.toVector.map { case (id, answer) => id -> answer.get() }.partitionMap {
      case (id, Left(Failed(failure))) => Left(id -> failure)
      case (_, Right(seen))            => Right(seen)
    }
    (found.flatten.flatMap { case (id, look) => look.time.map(id -> _) }.toMap, failed.toMap)
  }

  override def close(): Unit = probes.close()
}
