package io.github.dynamickafka.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.github.dynamickafka.spark.columns.RecordColumns
import io.github.dynamickafka.spark.deferral.DriverLink
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerKey, FetchSizes}
import io.github.dynamickafka.spark.metrics.ReadFigures
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Makes the readers of a batch, on executors. Resolved secrets travel to executors in this object alone.
  *
  * @param connections of every cluster that the batch reads
  * @param kafkaIds Kafka's ids of these clusters, as far as they are known: no row of another cluster is returned
  * @param schema the columns that readers produce: some of `RowSchema`, in any order
  * @param link set in a streaming query
  */
final class RangeReaderFactory(
    connections: Map[ClusterId, ConnectionSettings],
    kafkaIds: Map[ClusterId, String],
    settings: ReadSettings,
    schema: StructType,
    figures: ReadFigures,
    link: Option[DriverLink] = None
) extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] = partition match {
    case task: TaskRanges => TaskFailure.readably(new TaskReader(reader(task, TaskEnvironment.here())))
    case other            => throw new IllegalArgumentException(s"not a part of this source's batches: $other")
  }

  private[read] def reader(task: TaskRanges, environment: TaskEnvironment): RangeReader =
    link.fold(reader(task.ranges.toVector, environment)) { link =>
      val numbered = task.numbers.toVector.zip(task.ranges)
      val ends     =
        if (environment.again)
          TaskEnd.known(link, task.numbers.toVector, settings.readTimeout, environment)
        else Map.empty[Int, Long]
      val ranges = numbered.map { case (number, range) =>
        // A range may be a piece of what has this number.
        number -> ends.get(number).fold(range)(end => range.part(range.from, end.min(range.until).max(range.from)))
      }
      reader(
        ranges.map(_._2),
        environment,
        watch => Some(new TaskEnd(link, ranges, refuses, watch, settings.readTimeout.toMillis, environment.sleep))
      )
    }

  private def refuses(cluster: ClusterId): Boolean = Refusal.of(connection(cluster).bootstrapServers)

  /** @throws DynamicKafkaException `CLUSTER_NOT_LISTED` for a range of a cluster without a connection */
  private[read] def reader(
      ranges: Vector[OffsetRange],
      environment: TaskEnvironment,
      end: Stopwatch => Option[TaskEnd] = _ => None
  ): RangeReader = {
    val watch = new Stopwatch(environment.nanoTime)
    val parts = ranges.filter(_.size > 0).groupBy(_.id.cluster).toVector.sortBy(_._1).map { case (cluster, own) =>
      val how   = connection(cluster)
      val place = FetchWindow.whileFetched(FetchSizes.of(how))
      ClusterPart(cluster, own, place, how.committedOnly, settings.advice, link.exists(_.defers))
    }
    val room               = FetchWindow.of(environment.pool.share(settings.fetchLimits), parts.map(_.places))
    val (readings, leases) = parts.map { part =>
      val key   = ConsumerKey(part.cluster, connection(part.cluster), settings.groupIdPrefix)
      val lease = new Lease(environment.pool, key, part.partitions, settings.idleTimeout, kafkaIds.get(part.cluster))
      new ClusterReading(part, lease, room, settings, figures, watch, environment.clock) -> lease
    }.unzip
    new RangeReader(
      readings,
      leases,
      room,
      new RecordColumns(schema),
      watch,
      environment.stopped,
      new Downstream(environment.nanoTime, figures.work.add),
      end(watch)
    )
  }

  private def connection(cluster: ClusterId): ConnectionSettings =
    connections.getOrElse(cluster, throw ReadFailures.notListed(cluster))

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("this source is read in columns")

  override def toString: String = {
    val clusters = connections.keys.toVector.sorted.mkString(",")
    s"RangeReaderFactory(clusters=$clusters columns=${schema.fieldNames.mkString(",")})"
  }
}
