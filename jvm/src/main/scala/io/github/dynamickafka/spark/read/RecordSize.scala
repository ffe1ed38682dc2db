package io.github.dynamickafka.spark.read

import io.github.dynamickafka.spark.columns.RecordBatch.Record

/** How many bytes a record takes. */
private[read] object RecordSize {

  /** As Kafka holds it, before compression; a record's few bytes of framing aside. */
  def of(record: Record): Long = {
    var bytes   = record.serializedKeySize.max(0).toLong + record.serializedValueSize.max(0)
    val headers = record.headers.iterator
    while (headers.hasNext) {
      val header = headers.next()
      bytes += header.key.length + Option(header.value).fold(0)(_.length)
    }
    bytes
  }

  /** About what it takes of this process, once fetched and taken apart. */
  def inMemory(record: Record): Long = of(record) + Objects

  // A record's own object and those that it always has.
  private val Objects = 200L
}
