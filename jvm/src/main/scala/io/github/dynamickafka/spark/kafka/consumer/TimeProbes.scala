package io.github.dynamickafka.spark.kafka.consumer

import java.time.Duration
import java.util.concurrent.{CompletableFuture, Executor}

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.kafka.client.ClientPerCluster
import io.github.dynamickafka.spark.plan.{LookAhead, TimestampLookup}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Reads the times of the next records of clusters, through one consumer for each.
  *
  * @param prefix of the consumers' group ids, under which nothing is committed
  * @param timeout how long a look at one cluster may make no progress
  * @param name of the query, for the threads' names
  */
final class TimeProbes(factory: ConsumerFactory, prefix: String, timeout: Duration, name: String)
    extends ClientPerCluster[TimeProbe](s"dynamic-kafka-times-$name") {

  override protected def make(cluster: ClusterId, connection: ConnectionSettings, threads: Executor): TimeProbe = {
    val key = ConsumerKey(cluster, TimeProbes.small(connection), prefix)
    new TimeProbe(key, factory, timeout, threads, System.nanoTime _)
  }

  /** What the cluster has behind these positions. A failure is an answer too: the future never fails. */
  def looking(
      cluster: ClusterId,
      from: Map[PartitionId, TimestampLookup]
  ): CompletableFuture[Either[Failed, Map[PartitionId, LookAhead]]] = asking(cluster, _.look(from))
}

private object TimeProbes {

  // A little of many partitions at once. A broker sends whole record batches, and leaves out a partition whose next
  // batch is larger than this limit, unless it is the first one. So the limit is above the usual size of a batch.
  def small(connection: ConnectionSettings): ConnectionSettings = new ConnectionSettings(connection.properties ++ Map(
    "max.partition.fetch.bytes" -> (1 << 16).toString,
    "fetch.max.bytes"           -> (1 << 23).toString,
    "fetch.min.bytes"           -> "1",
    "max.poll.records"          -> Int.MaxValue.toString
  ))
}
