package io.github.dynamickafka.spark.columns

import org.apache.spark.sql.types.DataType

import io.github.dynamickafka.spark.columns.RecordBatch.Record

/** A column that looks into the records of the batch it shows, when and only when a value is asked for. */
abstract class RecordVector(dataType: DataType) extends ReadOnlyVector(dataType) {
  // Cells, because one vector shows many batches; the array by itself, because every value of every row needs it
  // (`make bench ARGS=driver`).
  protected[this] var records: Array[Record] = RecordBatch.empty.records
  private[this] var count: Int               = 0

  final override protected def size: Int = count

  /** From now on shows this batch, and no earlier one. */
  def show(batch: RecordBatch): Unit = {
    records = batch.records
    count = batch.count
  }
}
