package io.github.dynamickafka.spark.spark

import java.util.OptionalLong

import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.types.StructType

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.driver.bounded.BoundedRead

/** The estimated size of a batch read, for Spark's planner and for readers of a plan.
  *
  * @param rows the most rows: compaction and transactions leave offsets without a record, and Spark's filters drop rows
  * @param bytes of the needed columns, if the size of a record is known
  */
final private[spark] case class ReadSize(rows: Option[Long], bytes: Option[Long]) extends Statistics {
  override def numRows(): OptionalLong = rows.fold(OptionalLong.empty)(OptionalLong.of(_))

  override def sizeInBytes(): OptionalLong = bytes.fold(OptionalLong.empty)(OptionalLong.of(_))

  /** The text in a plan. */
  override def toString: String =
    rows.fold("rows not known")(count => s"at most $count rows") +
      bytes.fold("")(size => s", about ${ReadSize.shown(size)}")
}

private[spark] object ReadSize {
  val unknown: ReadSize = ReadSize(None, None)

  /** The columns whose size depends on the record. */
  private val Payload = Set(RowSchema.Key, RowSchema.Value, RowSchema.Headers)

  // Spark counts some bytes for a row in addition to its columns.
  private val RowOverhead = 8L

  /** @param record the mean size of a record in bytes, if it is known */
  def of(read: BoundedRead, columns: StructType, record: Option[Long]): ReadSize = {
    val rows            = read.ranges.iterator.map(_.size).sum
    val (payload, rest) = columns.partition(column => Payload(column.name))
    // The sizes of the single columns of a record are not measured, so one of them counts as the whole record.
    val own  = if (payload.isEmpty) Some(0L) else record
    val size = own.map(_ + RowOverhead + rest.map(_.dataType.defaultSize.toLong).sum)
    ReadSize(Some(rows), if (rows == 0) Some(1L) else size.map(saturated(_, rows)))
  }

  private def saturated(size: Long, rows: Long): Long = BigInt(size) * rows match {
    case product if product.isValidLong => product.toLong
    case _                              => Long.MaxValue
  }

  private def shown(bytes: Long): String = {
    val units = Vector("B", "KiB", "MiB", "GiB", "TiB")
    val unit  = Iterator.iterate(bytes)(_ / 1024).takeWhile(_ >= 1024).size.min(units.size - 1)
    f"${bytes / Math.pow(1024, unit.toDouble)}%.3g ${units(unit)}"
  }
}
