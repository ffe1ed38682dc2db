package io.github.dynamickafka.spark.read.realtime

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType

import io.github.dynamickafka.spark.columns.RecordColumns
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, FetchSizes, LiveConsumers}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read._
import io.github.dynamickafka.spark.realtime.RealTimeLink
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Makes the readers of a real-time batch, on executors. Resolved secrets travel to executors in this object alone.
  *
  * @param connections of every cluster that the batch reads
  * @param kafkaIds Kafka's ids of these clusters, as far as they are known: no row of another cluster is returned
  * @param schema the columns that readers produce: some of `RowSchema`, in any order
  */
final class RealTimeReaderFactory(
    connections: Map[ClusterId, ConnectionSettings],
    kafkaIds: Map[ClusterId, String],
    settings: ReadSettings,
    schema: StructType,
    link: RealTimeLink
) extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = partition match {
    case task: TaskRanges => TaskFailure.readably(new RealTimeReader(reader(task, TaskEnvironment.here())))
    case other            => throw new IllegalArgumentException(s"not a part of this source's batches: $other")
  }

  private[realtime] def reader(task: TaskRanges, environment: TaskEnvironment): RealTimeTask = {
    val ranges = task.numbers.toVector.zip(task.ranges)
    val known  =
      if (environment.again && ranges.nonEmpty) link.known(task.numbers.toVector) else Map.empty[Int, Long]
    val hand = new HandOver
    new RealTimeTask(
      new RealTimeRows(ranges, new RecordColumns(schema)),
      hand,
      live(ranges, hand, environment, _),
      link,
      known,
      settings.readTimeout,
      environment
    )
  }

  private def live(
      ranges: Vector[(Int, OffsetRange)],
      hand: HandOver,
      environment: TaskEnvironment,
      task: RealTimeTask
  ): Vector[LiveCluster] = ranges.groupBy(_._2.id.cluster).toVector.sortBy(_._1).map { case (cluster, own) =>
    val how   = LiveConsumers.connection(connections.getOrElse(cluster, throw ReadFailures.notListed(cluster)))
    val place = FetchWindow.whileFetched(FetchSizes.of(how))
    val part  = ClusterPart(cluster, own.map(_._2), place, how.committedOnly, settings.advice)
    val key   = ConsumerKey(cluster, how, settings.groupIdPrefix)
    val lease = new Lease(environment.pool, key, part.partitions, settings.idleTimeout, kafkaIds.get(cluster))
    new LiveCluster(
      part,
      own.map { case (number, range) => ClusterPart.partition(range) -> number }.toMap,
      lease,
      environment.pool.share(settings.fetchLimits),
      hand,
      environment.clock,
      task.late,
      task.failed(cluster, _)
    )
  }

  override def toString: String = {
    val clusters = connections.keys.toVector.sorted.mkString(",")
    s"RealTimeReaderFactory(clusters=$clusters columns=${schema.fieldNames.mkString(",")})"
  }
}
