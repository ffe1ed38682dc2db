package io.github.dynamickafka.spark.read.realtime

import java.util.concurrent.atomic.AtomicLongArray

import org.apache.spark.sql.catalyst.InternalRow

import io.github.dynamickafka.spark.columns.{RecordBatch, RecordColumns}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.realtime.TakenPart

/** The rows of one real-time task, one by one, and how far it has taken each of its ranges. The task's own thread uses it;
  * any thread may call `said`.
  *
  * @param ranges by their number in the batch
  */
final private[realtime] class RealTimeRows(ranges: Vector[(Int, OffsetRange)], columns: RecordColumns) {
  private val index = ranges.map(_._1).zipWithIndex.toMap
  private val next  = new AtomicLongArray(ranges.map(_._2.from).toArray)
  private val times = new AtomicLongArray(Array.fill(ranges.size)(NoTime))
  // Variables of the inner loop: the ends of the ranges, the epochs of the last records that were taken, what was polled,
  // and which part and which record of it comes next.
  private val ends             = ranges.map(_._2.until).toArray
  private val epochs           = Array.fill(ranges.size)(Option.empty[Int])
  private var parts            = Vector.empty[PolledPart]
  private var records          = RecordBatch.empty
  private var shown            = columns.show(records)
  private var part             = 0
  private var record           = 0
  private var row: InternalRow = _

  def current: InternalRow = row

  /** Whether a record is there. It is then the current row. */
  def advance(): Boolean = {
    var found = false
    while (!found && part < parts.size) {
      val here = parts(part)
      val at   = index(here.range)
      if (record < here.until && next.get(at) < ends(at)) {
        found = take(at)
        record += 1
      } else {
        passed(at, here)
        part += 1
        if (part < parts.size) record = parts(part).from
      }
    }
    found
  }

  // A record that was taken before may come again where a kept consumer had it.
  private def take(at: Int): Boolean = {
    val one  = records.records(record)
    val mine = one.offset >= next.get(at) && one.offset < ends(at)
    if (mine) {
      row = shown.getRow(record)
      if (one.timestamp >= 0) times.lazySet(at, one.timestamp)
      epochs(at) = if (one.leaderEpoch.isPresent) Some(one.leaderEpoch.get.intValue) else None
      next.lazySet(at, one.offset + 1)
    } else if (one.offset >= ends(at)) next.lazySet(at, ends(at))
    mine
  }

  // Behind the last record there may be offsets without one.
  private def passed(at: Int, here: PolledPart): Unit = {
    val to = Math.min(here.next, ends(at))
    if (to > next.get(at)) {
      next.lazySet(at, to)
      epochs(at) = here.epoch
    }
  }

  def show(polled: Polled): Unit = {
    parts = polled.parts
    records = polled.batch
    shown = columns.show(records)
    part = 0
    record = parts.headOption.fold(0)(_.from)
  }

  /** From now on these ranges end there. */
  def endAt(all: Map[Int, Long]): Unit =
    all.foreach { case (range, end) => index.get(range).foreach(at => ends(at) = Math.min(ends(at), end)) }

  /** Whether all of these have been read to their ends. */
  def done(some: Iterable[Int]): Boolean = some.flatMap(index.get).forall(at => next.get(at) >= ends(at))

  /** All that is taken, with epochs. */
  def taken: Vector[TakenPart] = ranges.map { case (range, _) =>
    val at = index(range)
    TakenPart(range, next.get(at), epochs(at), time(at))
  }

  /** What was taken since these offsets, and all without one; for any thread. Without epochs, which may be of another
    * record.
    */
  def said(since: Map[Int, Long]): Vector[TakenPart] = ranges.flatMap { case (range, _) =>
    val at   = index(range)
    val here = next.get(at)
    Option.when(since.get(range).forall(_ < here))(TakenPart(range, here, time = time(at)))
  }

  /** The ranges of these clusters. */
  def of(clusters: Set[ClusterId]): Vector[Int] =
    if (clusters.isEmpty) Vector.empty else ranges.collect { case (range, one) if clusters(one.id.cluster) => range }

  private def time(at: Int): Option[Long] = Some(times.get(at)).filter(_ != NoTime)

  private def NoTime = RealTimeRows.NoTime
}

private object RealTimeRows {
  private val NoTime = -1L
}
