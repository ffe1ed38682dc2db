package io.github.dynamickafka.spark.read

import java.util.{List => JList}

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.columns.RecordBatch.Record
import io.github.dynamickafka.spark.plan.OffsetRange

/** How far a task is with one partition. Mutable: the inner loop of a reader moves it.
  *
  * @param ranges at least one, by rising offsets, none overlapping another
  */
final private[read] class OpenPartition(val partition: TopicPartition, ranges: List[OffsetRange]) {
  private var left       = ranges
  private var next: Long = ranges.head.from

  /** The next offset to read. */
  def position: Long = next

  def range: OffsetRange = left.head

  /** Ranges not read to their end yet. */
  def unread: List[OffsetRange] = left

  def finished: Boolean = left.isEmpty

  /** Copies the records that belong to the range behind the first `count` of `into`, and returns the new count.
    *
    * As arrays: one call for each record was a twentieth of `count()` (`make bench-quick ARGS=throughput`).
    */
  def take(fetched: JList[Record], into: Array[Record], count: Int): Int = {
    val found = fetched.subList(firstAt(fetched, next), firstAt(fetched, range.until)).toArray
    System.arraycopy(found, 0, into, count, found.length)
    count + found.length
  }

  /** The records behind the range's end. */
  def beyond(fetched: JList[Record]): JList[Record] = fetched.subList(firstAt(fetched, range.until), fetched.size)

  /** Moves to this offset. A range ends at an offset, never at a record count: offsets without a record are no loss.
    *
    * @return whether the current range ended there; the next one, if any, begins at `position`
    */
  def moveTo(offset: Long): Boolean = {
    next = offset.max(next)
    val ended = next >= range.until
    if (ended) {
      left = left.tail
      left.headOption.foreach(range => next = range.from)
    }
    ended
  }

  // The index of the first record at or after the offset. Nearly always all or none of them are, so most polls need no
  // look at each record (`make bench-quick ARGS=throughput`).
  private def firstAt(fetched: JList[Record], offset: Long): Int = {
    var low  = 0
    var high = fetched.size
    if (high > 0 && fetched.get(0).offset >= offset) high = 0
    else if (high > 0 && fetched.get(high - 1).offset < offset) low = high
    while (low < high) {
      val middle = (low + high) >>> 1
      if (fetched.get(middle).offset < offset) low = middle + 1 else high = middle
    }
    low
  }
}
