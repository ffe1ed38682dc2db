package io.github.dynamickafka.spark.spark

import org.apache.spark.SparkContext
import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType

import io.github.dynamickafka.spark.driver.bounded.BoundedRead
import io.github.dynamickafka.spark.metrics.ReadFigures
import io.github.dynamickafka.spark.options.SourceSettings
import io.github.dynamickafka.spark.plan.{RangeSplitter, RecordWeight}
import io.github.dynamickafka.spark.read.{RangeReaderFactory, TaskRanges}

/** One batch read. It is planned once, however often Spark asks for its partitions. */
final private[spark] class DynamicKafkaBatch(
    settings: SourceSettings,
    columns: StructType,
    planned: PlannedRead
) extends Batch {
  private lazy val context: SparkContext = SparkContext.getOrCreate()
  private lazy val read: BoundedRead     = planned.now()

  override def planInputPartitions(): Array[InputPartition] =
    // Consumers are warm only where a query read before, so its tasks run anywhere.
    RangeSplitter.tasks(
      read.ranges,
      ParallelTasks.of(context, LiveExecutors.now().size).atOnce,
      settings.limits.tasks,
      RecordWeight.unknown.each
    ).map(task => new TaskRanges(task.toArray): InputPartition).toArray

  override def createReaderFactory(): PartitionReaderFactory =
    new RangeReaderFactory(
      read.connections,
      read.kafkaIds,
      // A restart reads all anew: nothing of an earlier batch is left over.
      DynamicKafkaScan.reading(settings, advice = ""),
      columns,
      ReadFigures.register(context)
    )

  override def toString: String = "dynamic-kafka"
}
