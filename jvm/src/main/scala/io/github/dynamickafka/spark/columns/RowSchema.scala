package io.github.dynamickafka.spark.columns

import org.apache.spark.sql.types._

/** The columns of a row: those of Spark's own Kafka source, with the same types, and two for the record's origin. */
object RowSchema {
  val Key           = "key"
  val Value         = "value"
  val Topic         = "topic"
  val Partition     = "partition"
  val Offset        = "offset"
  val Timestamp     = "timestamp"
  val TimestampType = "timestampType"
  val Headers       = "headers"
  val Cluster       = "cluster"
  val Stream        = "stream"

  /** One header of a record. Kafka allows several headers with the same key. */
  val header: StructType = new StructType().add(Key, StringType).add(Value, BinaryType)

  /** The columns of Spark's own Kafka source.
    *
    * @param headers as its option `includeHeaders`
    * @param origin whether the columns of the record's origin follow
    */
  def ofOneCluster(headers: Boolean, origin: Boolean): StructType = StructType(all.filter { column =>
    column.name match {
      case Headers          => headers
      case Cluster | Stream => origin
      case _                => true
    }
  })

  val all: StructType = new StructType()
    .add(Key, BinaryType)
    .add(Value, BinaryType)
    .add(Topic, StringType)
    .add(Partition, IntegerType)
    .add(Offset, LongType)
    .add(Timestamp, org.apache.spark.sql.types.TimestampType)
    .add(TimestampType, IntegerType)
    .add(Headers, ArrayType(header))
    .add(Cluster, StringType)
    .add(Stream, StringType)
}
