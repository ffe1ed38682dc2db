package io.github.dynamickafka.spark.read

import java.time.Duration

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.github.dynamickafka.spark.columns.{RecordBatch, RecordColumns}

/** Reads the ranges of one task. All clusters fetch at the same time; each poll of one of them that finds records is one
  * batch of columns, so a slow cluster holds back none of the others.
  *
  * @param clusters in any order; none of them started
  * @param leases what they borrow, returned by `close`
  * @param stopped whether Spark wants the task to end
  */
final private[read] class RangeReader(
    clusters: Vector[ClusterReading],
    leases: Vector[Lease],
    columns: RecordColumns,
    watch: Stopwatch,
    stopped: () => Boolean
) extends PartitionReader[ColumnarBatch] {
  import RangeReader._

  // Cells of the inner loop: what there is still to read, whose turn it is, and what the last turn found.
  private var started                         = false
  private var reading: Vector[ClusterReading] = clusters
  private var turn                            = 0
  private var found: RecordBatch              = RecordBatch.empty

  /** @throws InterruptedException when the task is stopped */
  override def next(): Boolean = {
    watch.start()
    try {
      if (!started) startAll()
      found = RecordBatch.empty
      // First only what is there already, of anyone; then each is waited for a moment.
      var polls = 0
      while (found.count == 0 && reading.nonEmpty) {
        if (stopped()) throw new InterruptedException("the task was stopped")
        found = pollOne(if (polls < reading.size) Duration.ZERO else Moment)
        polls += 1
      }
      found.count > 0
    } finally watch.stop()
  }

  override def get(): ColumnarBatch = columns.show(found)

  override def close(): Unit = {
    found = RecordBatch.empty
    reading = Vector.empty
    leases.foreach(_.close())
  }

  // Every cluster gets its fetches sent before the first one is waited for.
  private def startAll(): Unit = {
    started = true
    clusters.foreach(_.start())
  }

  private def pollOne(timeout: Duration): RecordBatch = {
    val one   = reading(turn)
    val batch = one.poll(timeout)
    if (one.finished) reading = reading.patch(turn, Nil, 1) else turn += 1
    if (turn >= reading.size) turn = 0
    batch
  }
}

private object RangeReader {

  /** Long enough not to burn a core, short enough to notice what other clusters bring. */
  val Moment: Duration = Duration.ofMillis(5)
}
