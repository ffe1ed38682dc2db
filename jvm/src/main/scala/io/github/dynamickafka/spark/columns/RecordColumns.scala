package io.github.dynamickafka.spark.columns

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

/** The columns of one reader. They are made once, and used for one batch of records after the other. No row is built,
  * and a column that a query does not use costs nothing (`make bench-quick ARGS=throughput` for whole reads,
  * `make bench ARGS=driver` for one value of each column).
  *
  * @param schema some of the columns of [[RowSchema]], in any order
  * @throws IllegalArgumentException for a column that rows do not have
  */
final class RecordColumns(schema: StructType) {
  private val vectors = schema.fieldNames.map(RecordColumns.vector)
  private val columns = new ColumnarBatch(vectors.map(identity[ColumnVector]))

  /** These records as columns, until the next call. */
  def show(batch: RecordBatch): ColumnarBatch = {
    vectors.foreach(_.show(batch))
    columns.setNumRows(batch.count)
    columns
  }
}

private object RecordColumns {
  def vector(column: String): RecordVector = column match {
    case RowSchema.Key           => new KeyVector
    case RowSchema.Value         => new ValueVector
    case RowSchema.Topic         => new TopicVector
    case RowSchema.Partition     => new PartitionVector
    case RowSchema.Offset        => new OffsetVector
    case RowSchema.Timestamp     => new TimestampVector
    case RowSchema.TimestampType => new TimestampTypeVector
    case RowSchema.Headers       => new HeadersVector
    case RowSchema.Cluster       => new ClusterVector
    case RowSchema.Stream        => new StreamVector
    case other                   =>
      throw new IllegalArgumentException(s"A row has no column $other, only ${RowSchema.all.fieldNames.mkString(", ")}")
  }
}
