package io.github.dynamickafka.spark.read

import java.util.{List => JList, Map => JMap}

import org.apache.spark.unsafe.types.UTF8String

import io.github.dynamickafka.spark.columns.RecordBatch
import io.github.dynamickafka.spark.columns.RecordBatch.Record

/** Collects the records of one poll. Mutable: the inner loop of a reader fills it.
  *
  * @param most how many there may be
  */
final private[read] class PolledRecords(most: Int) {
  private val records = new Array[Record](most)
  private var count   = 0

  def isEmpty: Boolean = count == 0

  def size: Int = count

  // Copies arrays: one call for each record took a twentieth of `count()` (`make bench-quick ARGS=throughput`).
  def add(more: JList[Record]): Unit = {
    val found = more.toArray
    System.arraycopy(found, 0, records, count, found.length)
    count += found.length
  }

  /** The lowest time of a record, in milliseconds since the epoch; none if no record has one. */
  def oldest: Option[Long] = {
    var oldest = Long.MaxValue
    var i      = 0
    while (i < count) {
      val time = records(i).timestamp
      // Negative: the record has none.
      if (time < oldest && time >= 0) oldest = time
      i += 1
    }
    Option.when(oldest != Long.MaxValue)(oldest)
  }

  /** How large all records are together. */
  def bytes: Long = {
    var bytes = 0L
    var i     = 0
    while (i < count) {
      bytes += RecordSize.of(records(i))
      i += 1
    }
    bytes
  }

  /** @param streams the stream of each topic that a record can have */
  def batch(cluster: UTF8String, streams: JMap[String, UTF8String]): RecordBatch =
    if (isEmpty) RecordBatch.empty else new RecordBatch(records, count, cluster, streams)
}
