package io.github.dynamickafka.spark.bench

import java.util.{Map => JMap, Optional}
import java.util.concurrent.TimeUnit

import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.kafka.common.record.TimestampType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String
import org.openjdk.jmh.annotations._

import io.github.dynamickafka.spark.columns.{RecordBatch, RecordColumns, RowSchema}

/** The time for one value of a column, in a batch as large as one poll. */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
class ColumnValues {
  import ColumnValues._

  private var batch: RecordBatch   = _
  private var shown: ColumnarBatch = _

  @Setup
  def prepare(): Unit = {
    batch = new RecordBatch(
      Array.tabulate(Rows)(record),
      Rows,
      UTF8String.fromString("eu-1"),
      JMap.of("orders", UTF8String.fromString("orders"))
    )
    shown = new RecordColumns(RowSchema.all).show(batch)
  }

  @Benchmark @OperationsPerInvocation(Rows)
  def value(): Long = sum("value")((column, row) => column.getBinary(row).length.toLong)

  @Benchmark @OperationsPerInvocation(Rows)
  def offset(): Long = sum("offset")(_.getLong(_))

  @Benchmark @OperationsPerInvocation(Rows)
  def timestamp(): Long = sum("timestamp")(_.getLong(_))

  @Benchmark @OperationsPerInvocation(Rows)
  def topic(): Long = sum("topic")((column, row) => column.getUTF8String(row).numBytes.toLong)

  @Benchmark @OperationsPerInvocation(Rows)
  def stream(): Long = sum("stream")((column, row) => column.getUTF8String(row).numBytes.toLong)

  @Benchmark @OperationsPerInvocation(Rows)
  def cluster(): Long = sum("cluster")((column, row) => column.getUTF8String(row).numBytes.toLong)

  private def sum(name: String)(value: (org.apache.spark.sql.vectorized.ColumnVector, Int) => Long): Long = {
    val column = shown.column(RowSchema.all.fieldIndex(name))
    var total  = 0L
    var row    = 0
    while (row < Rows) {
      total += value(column, row)
      row += 1
    }
    total
  }
}

private object ColumnValues {
  final val Rows = 500

  def record(offset: Int): RecordBatch.Record = new ConsumerRecord[Array[Byte], Array[Byte]](
    "orders",
    3,
    offset.toLong,
    1000L * offset,
    TimestampType.CREATE_TIME,
    8,
    200,
    new Array[Byte](8),
    new Array[Byte](200),
    new RecordHeaders,
    Optional.empty[Integer]
  )
}
