package io.github.dynamickafka.spark.kafka

import java.time.Duration

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.plan.{Glance, LookAhead}
import io.github.dynamickafka.spark.reconcile.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Looks at the times of the next records, with one consumer for each cluster that has some.
  *
  * @param prefix of the consumers' group ids, under which nothing is committed
  * @param name of the query, for the threads' names
  */
final class TimeProbes(factory: ConsumerFactory, prefix: String, timeout: Duration, name: String)
    extends AutoCloseable {

  private val probes = new ClientPerCluster(s"dynamic-kafka-times-$name")((id, connection, threads) =>
    new TimeProbe(ConsumerKey(id, TimeProbes.small(connection), prefix), factory, timeout, threads, System.nanoTime _)
  )

  /** Keeps what is open of these clusters alone. The one caller is the query's own thread. */
  def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = probes.keep(connections)

  /** What each cluster has behind these positions, or why it does not tell.
    *
    * @param within how long a cluster is waited for, where that is shorter than the limit of a look
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def look(
      from: Map[PartitionId, Glance],
      within: ClusterId => Option[Duration]
  ): Map[ClusterId, Either[Failed, Map[PartitionId, LookAhead]]] =
    probes.ask[Map[PartitionId, Glance], Either[Failed, Map[PartitionId, LookAhead]]](
      from.groupBy(_._1.cluster),
      within,
      id => Left(ClusterAdmins.late(id))
    )(_.look(_))

  override def close(): Unit = probes.close()
}

private object TimeProbes {

  // A little of many partitions, at once. A broker gives whole batches of records, and passes over a partition whose
  // next one is larger than this, unless it is the first: so not less than what producers make of a batch.
  private val Sizes = Map(
    "max.partition.fetch.bytes" -> (1 << 16).toString,
    "fetch.max.bytes"           -> (1 << 23).toString,
    "fetch.min.bytes"           -> "1",
    "max.poll.records"          -> Int.MaxValue.toString
  )

  def small(connection: ConnectionSettings): ConnectionSettings = new ConnectionSettings(connection.properties ++ Sizes)
}
