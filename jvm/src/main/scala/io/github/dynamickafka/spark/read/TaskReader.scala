package io.github.dynamickafka.spark.read

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

/** The reader of one task, as Spark calls it. Its failures are readable on the driver, see [[TaskFailure]]. */
final private[read] class TaskReader(reader: RangeReader) extends PartitionReader[ColumnarBatch] {
  override def next(): Boolean = TaskFailure.readably(reader.next())

  override def get(): ColumnarBatch = reader.get()

  override def close(): Unit = TaskFailure.readably(reader.close())
}
