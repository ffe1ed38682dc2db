package io.github.dynamickafka.spark.read

import io.github.dynamickafka.spark.columns.RecordBatch.Record

/** The size of a record in bytes. */
private[read] object RecordSize {

  /** Of its key, value and headers, uncompressed, without the few bytes of framing. */
  def of(record: Record): Long = {
    var bytes   = record.serializedKeySize.max(0).toLong + record.serializedValueSize.max(0)
    val headers = record.headers.iterator
    while (headers.hasNext) {
      val header = headers.next()
      bytes += header.key.length + Option(header.value).fold(0)(_.length)
    }
    bytes
  }

  /** About what it takes of this process's memory once it is fetched and parsed. */
  def inMemory(record: Record): Long = of(record) + Objects

  // The record's own object and those that every record refers to.
  private val Objects = 200L
}
