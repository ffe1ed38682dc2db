package io.github.dynamickafka.spark.spark

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType

import io.github.dynamickafka.spark.driver.{BoundedRead, OpenedSource}
import io.github.dynamickafka.spark.metrics.ReadFigures
import io.github.dynamickafka.spark.options.SourceSettings
import io.github.dynamickafka.spark.plan.RangeSplitter
import io.github.dynamickafka.spark.read.{RangeReaderFactory, ReadSettings, TaskRanges}

/** One batch read. It is planned once, however often Spark asks for its partitions. */
final class DynamicKafkaBatch(settings: SourceSettings, columns: StructType, handedOver: Seq[AnyRef]) extends Batch {
  private lazy val context: SparkContext = SparkSession.active.sparkContext
  private lazy val read: BoundedRead     = OpenedSource.bounded(settings)

  override def planInputPartitions(): Array[InputPartition] =
    RangeSplitter.tasks(read.ranges, context.defaultParallelism).map(task => new TaskRanges(task.toArray): InputPartition).toArray

  override def createReaderFactory(): PartitionReaderFactory =
    new RangeReaderFactory(read.connections, ReadSettings.of(settings), columns, ReadFigures.register(context))

  override def toString: String = s"dynamic-kafka batch of ${handedOver.size} handed-over objects"
}
