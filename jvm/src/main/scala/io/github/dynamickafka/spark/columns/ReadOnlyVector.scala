package io.github.dynamickafka.spark.columns

import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

/** A vector that computes each value when it is asked for, and owns no memory. Each subclass overrides the getter of
  * its type; all other getters fail.
  */
abstract class ReadOnlyVector(dataType: DataType) extends ColumnVector(dataType) {

  /** The current number of values. */
  protected def size: Int

  override def isNullAt(row: Int): Boolean = false

  override def numNulls: Int = (0 until size).count(isNullAt)

  override def hasNull: Boolean = numNulls > 0

  /** There is nothing to free. Spark closes a batch at its end, but the vector is used again for the next batch. */
  override def close(): Unit = ()

  override def getBoolean(row: Int): Boolean                             = unsupported("boolean")
  override def getByte(row: Int): Byte                                   = unsupported("byte")
  override def getShort(row: Int): Short                                 = unsupported("short")
  override def getInt(row: Int): Int                                     = unsupported("int")
  override def getLong(row: Int): Long                                   = unsupported("long")
  override def getFloat(row: Int): Float                                 = unsupported("float")
  override def getDouble(row: Int): Double                               = unsupported("double")
  override def getArray(row: Int): ColumnarArray                         = unsupported("array")
  override def getMap(row: Int): ColumnarMap                             = unsupported("map")
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = unsupported("decimal")
  override def getUTF8String(row: Int): UTF8String                       = unsupported("string")
  override def getBinary(row: Int): Array[Byte]                          = unsupported("binary")
  override def getChild(ordinal: Int): ColumnVector                      = unsupported("struct")

  private def unsupported(wanted: String): Nothing =
    throw new UnsupportedOperationException(s"${getClass.getSimpleName} holds ${dataType().sql}, not $wanted")
}
