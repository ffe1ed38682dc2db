package io.github.dynamickafka.spark.columns

import java.util.{Map => JMap}

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

final private[columns] class KeyVector extends RecordVector(BinaryType) {
  override def isNullAt(row: Int): Boolean      = records(row).key == null
  override def getBinary(row: Int): Array[Byte] = records(row).key
}

final private[columns] class ValueVector extends RecordVector(BinaryType) {
  override def isNullAt(row: Int): Boolean      = records(row).value == null
  override def getBinary(row: Int): Array[Byte] = records(row).value
}

final private[columns] class PartitionVector extends RecordVector(IntegerType) {
  override def getInt(row: Int): Int = records(row).partition
}

final private[columns] class OffsetVector extends RecordVector(LongType) {
  override def getLong(row: Int): Long = records(row).offset
}

/** Kafka counts milliseconds, Spark microseconds. */
final private[columns] class TimestampVector extends RecordVector(TimestampType) {
  import TimestampVector.Largest

  // A producer may have sent any number. One that is out of range in microseconds must not fail the query: it becomes
  // the last or the first instant.
  override def getLong(row: Int): Long = {
    val millis = records(row).timestamp
    if (millis > Largest) Long.MaxValue else if (millis < -Largest) Long.MinValue else millis * 1000
  }
}

private object TimestampVector { private val Largest = Long.MaxValue / 1000 }

/** The type of the timestamp, as Kafka's number: 0 for the time of creation, 1 for the time of arrival in the log. */
final private[columns] class TimestampTypeVector extends RecordVector(IntegerType) {
  override def getInt(row: Int): Int = records(row).timestampType.id
}

/** A text that depends only on the record's topic. The records of one partition share one topic string, so for most
  * rows a comparison of references is enough. A new text for each row would be most of the column's cost
  * (`make bench ARGS=driver`).
  */
abstract private[columns] class ByTopicVector extends RecordVector(StringType) {
  // The last topic and its text.
  private[this] var topic: String    = _
  private[this] var text: UTF8String = _

  protected def of(topic: String): UTF8String

  final override def getUTF8String(row: Int): UTF8String = {
    val now = records(row).topic
    if (now ne topic) {
      topic = now
      text = of(now)
    }
    text
  }

  override def show(batch: RecordBatch): Unit = {
    super.show(batch)
    topic = null
  }
}

final private[columns] class TopicVector extends ByTopicVector {
  override protected def of(topic: String): UTF8String = UTF8String.fromString(topic)
}

final private[columns] class StreamVector extends ByTopicVector {
  // Of the current batch: the same topic on another cluster may belong to another stream.
  private[this] var streams: JMap[String, UTF8String] = RecordBatch.empty.streams

  override protected def of(topic: String): UTF8String = streams.get(topic)

  override def show(batch: RecordBatch): Unit = {
    super.show(batch)
    streams = batch.streams
  }
}

final private[columns] class ClusterVector extends RecordVector(StringType) {
  // Of the current batch: all its records are from one cluster.
  private[this] var cluster: UTF8String = RecordBatch.empty.cluster

  override def getUTF8String(row: Int): UTF8String = cluster

  override def show(batch: RecordBatch): Unit = {
    super.show(batch)
    cluster = batch.cluster
  }
}
