package io.github.dynamickafka.spark.read

import java.util.{Collections, List => JList, Optional}

import org.apache.kafka.clients.consumer.OffsetAndMetadata
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.columns.RecordBatch.Record
import io.github.dynamickafka.spark.plan.OffsetRange

/** How far a task has read one partition. Mutable: the inner loop of a reader moves it.
  *
  * @param ranges at least one, by rising offsets, none overlapping another
  */
final private[read] class OpenPartition(val partition: TopicPartition, ranges: List[OffsetRange]) {
  import OpenPartition._

  private var left       = ranges
  private var next: Long = ranges.head.from
  private var time: Long = OpenPartition.NoTime
  // The latest leader epoch that records may have in the present range without a doubt, if that is not the planned one.
  private var trusted = NoEpoch

  /** The next offset to read. */
  def position: Long = next

  /** Where reading of the present range continues. */
  def start: Start = if (next > range.from) Start(next) else Start(range.from, range.epochs.from)

  /** The range that is read now. Fails once all are read. */
  def range: OffsetRange = left.head

  /** Ranges not read to their end yet. */
  def unread: List[OffsetRange] = left

  /** How many offsets of them are not read yet. */
  def ahead: Long = left.map(_.size).sum - (next - range.from)

  /** Whether a poll may have brought a record of the present range with a later leader epoch than the range was planned
    * with. Then the log was cut after the range was planned, or these are the epochs of another cluster. Epochs rise
    * with offsets, so the last one is enough, unless it lies beyond the range and no record shows where it began.
    *
    * @param next the end of all that the poll brought, with its epoch; it may lie behind a gap without records
    */
  def doubts(fetched: JList[Record], next: OffsetAndMetadata): Boolean = range.epochs.until.exists { planned =>
    def later(epoch: Optional[Integer]) = epoch.isPresent && epoch.get > planned.max(trusted)
    def begunWithin                     = {
      val last = firstAt(fetched, range.until) - 1
      last < 0 || fetched.get(last).offset < range.until - 1 || later(fetched.get(last).leaderEpoch)
    }
    later(next.leaderEpoch) && (next.offset <= range.until || begunWithin)
  }

  /** Records up to this epoch raise no doubt any more, as long as the present range is read: leaders have said what they
    * know of it. A log that is cut after that has a later epoch.
    */
  def trust(epoch: Int): Unit = trusted = epoch

  /** The timestamp of the last record that was taken, if it has one. */
  def lastTime: Option[Long] = Option.when(time >= 0)(time)

  /** Takes what a poll brought of it.
    *
    * @param fetched records in the order of their offsets
    * @param until the offset behind all that the poll brought; it may lie behind a gap without records
    * @param into gets the records that belong to the present range
    */
  def take(fetched: JList[Record], until: Long, into: PolledRecords): Progress = {
    val taken = fetched.subList(firstAt(fetched, next), firstAt(fetched, range.until))
    if (!taken.isEmpty) time = taken.get(taken.size - 1).timestamp
    into.add(taken)
    move(until, fetched)
  }

  /** Passes over all before this offset. */
  def passTo(offset: Long): Progress = move(offset, Collections.emptyList)

  /** Nothing from this offset on is read any more. It lies before the end of the present range. */
  def endAt(offset: Long): Progress = {
    left = List(range.part(range.from, offset.max(next)))
    passTo(next)
  }

  // A range ends at an offset, never at a record count: offsets without a record are no loss.
  private def move(offset: Long, fetched: JList[Record]): Progress = {
    val end = range.until
    next = offset.max(next)
    if (next < end) Within
    else {
      left = left.tail
      trusted = NoEpoch
      left.headOption.fold[Progress](Finished(end, fetched.subList(firstAt(fetched, end), fetched.size))) { range =>
        next = range.from
        NextRange(start)
      }
    }
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

private[read] object OpenPartition {
  // As Kafka marks a record without a timestamp.
  private val NoTime = -1L
  // Below all of Kafka's epochs.
  private val NoEpoch = -1

  /** Where a partition stands after a move. */
  sealed trait Progress

  /** The present range continues. */
  case object Within extends Progress

  /** A range is read, and the next one begins there. */
  final case class NextRange(start: Start) extends Progress

  /** All ranges are read.
    *
    * @param until where the last one ended
    * @param beyond the records that were fetched from there on
    */
  final case class Finished(until: Long, beyond: JList[Record]) extends Progress

  /** All partitions of these ranges. Several ranges of one partition are read one after the other, touching ones as
    * one.
    */
  def of(ranges: Seq[OffsetRange]): Vector[OpenPartition] =
    ranges.groupBy(ClusterPart.partition).iterator.map { case (partition, parts) =>
      val joined = parts.sortBy(_.from).foldLeft(List.empty[OffsetRange]) {
        case (last :: rest, range) if last.until == range.from =>
          last.copy(until = range.until, epochs = last.epochs.copy(until = range.epochs.until)) :: rest
        case (before, range) => range :: before
      }
      new OpenPartition(partition, joined.reverse)
    }.toVector
}
