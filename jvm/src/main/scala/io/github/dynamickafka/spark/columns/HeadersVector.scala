package io.github.dynamickafka.spark.columns

import java.util.{ArrayList => JArrayList, Arrays}

import org.apache.kafka.common.header.Header
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

/** The headers of each record; null for a record without any, as in Spark's own source.
  *
  * Spark wants the elements of all rows in one vector. So the first access to a batch copies its headers into one
  * array. Without an access nothing is copied. `make bench-quick ARGS=throughput` shows what that saves: of its sinks
  * only noop takes all columns.
  */
final private[columns] class HeadersVector extends RecordVector(ArrayType(RowSchema.header)) {
  private[this] val elements = new HeaderVector
  // Where each row's headers begin. After the last row: where they end. Null until the first access to the batch.
  private[this] var begins: Array[Int] = _

  override def isNullAt(row: Int): Boolean = {
    val at = copyOnce()
    at(row) == at(row + 1)
  }

  override def getArray(row: Int): ColumnarArray = {
    val at = copyOnce()
    new ColumnarArray(elements, at(row), at(row + 1) - at(row))
  }

  override def getChild(ordinal: Int): ColumnVector = {
    copyOnce(): Unit
    elements
  }

  override def show(batch: RecordBatch): Unit = {
    super.show(batch)
    begins = null
  }

  // A loop over primitive numbers. It makes no object for a record without headers, and most records have none. Boxed
  // numbers took an eighth of the time to read all columns (`make bench-quick ARGS=throughput`, into noop).
  private def copyOnce(): Array[Int] = {
    if (begins == null) {
      val all = new JArrayList[Header]
      val at  = new Array[Int](size + 1)
      var row = 0
      while (row < size) {
        val own = records(row).headers.toArray
        if (own.length > 0) all.addAll(Arrays.asList(own: _*)): Unit
        row += 1
        at(row) = all.size
      }
      begins = at
      elements.show(all.toArray(Array.empty[Header]))
    }
    begins
  }
}

/** Headers as structs of key and value. */
final private class HeaderVector extends ReadOnlyVector(RowSchema.header) {
  private[this] var headers: Array[Header]    = Array.empty
  private[this] val fields: Array[HeaderPart] = Array(new HeaderKeyVector, new HeaderValueVector)

  def show(now: Array[Header]): Unit = {
    headers = now
    fields.foreach(_.headers = now)
  }

  override protected def size: Int = headers.length

  override def getChild(ordinal: Int): ColumnVector = fields(ordinal)
}

sealed abstract private class HeaderPart(dataType: DataType) extends ReadOnlyVector(dataType) {
  // All headers of the current batch.
  var headers: Array[Header] = Array.empty

  override protected def size: Int = headers.length
}

final private class HeaderKeyVector extends HeaderPart(StringType) {
  override def getUTF8String(row: Int): UTF8String = UTF8String.fromString(headers(row).key)
}

final private class HeaderValueVector extends HeaderPart(BinaryType) {
  override def isNullAt(row: Int): Boolean      = headers(row).value == null
  override def getBinary(row: Int): Array[Byte] = headers(row).value
}
