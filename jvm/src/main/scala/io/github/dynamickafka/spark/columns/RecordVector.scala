package io.github.dynamickafka.spark.columns

import org.apache.spark.sql.types.DataType

import io.github.dynamickafka.spark.columns.RecordBatch.Record

/** A column that takes each value from the records of the current batch, only when the value is asked for. */
abstract class RecordVector(dataType: DataType) extends ReadOnlyVector(dataType) {
  // Variables, because one vector serves many batches. The array has its own variable, because each value of each row
  // needs it (`make bench ARGS=driver`).
  protected[this] var records: Array[Record] = RecordBatch.empty.records
  private[this] var count: Int               = 0

  final override protected def size: Int = count

  /** Shows this batch from now on. */
  def show(batch: RecordBatch): Unit = {
    records = batch.records
    count = batch.count
  }
}
