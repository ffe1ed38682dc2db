package io.github.dynamickafka.spark.read

import java.time.Duration

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.github.dynamickafka.spark.columns.{RecordBatch, RecordColumns}

/** Reads the ranges of one task. As many partitions as its room takes are fetched at the same time, of all clusters; each
  * poll of one cluster that finds records is one batch of columns, so a slow cluster holds back none of the others
  * (`make bench-quick ARGS=throughput`). When a partition is read to its end, the next one takes its room.
  *
  * @param clusters in any order; nothing of them is fetched yet
  * @param leases what they borrow, returned by `close`
  * @param stopped whether Spark wants the task to end
  */
final private[read] class RangeReader(
    clusters: Vector[ClusterReading],
    leases: Vector[Lease],
    room: FetchRoom,
    columns: RecordColumns,
    watch: Stopwatch,
    stopped: () => Boolean
) extends PartitionReader[ColumnarBatch] {
  import RangeReader._

  private val byId = clusters.map(one => one.cluster -> one).toMap

  // Cells of the inner loop: the clusters that fetch, whose turn it is, and what the last turn found.
  private var started                         = false
  private var reading: Vector[ClusterReading] = Vector.empty
  private var turn                            = 0
  private var found: RecordBatch              = RecordBatch.empty

  /** @throws InterruptedException when the task is stopped */
  override def next(): Boolean = {
    watch.start()
    try {
      // Every cluster gets its fetches sent before the first one is waited for.
      if (!started) openMore()
      started = true
      found = RecordBatch.empty
      // First only what is there already, of anyone; then each is waited for a moment: so a task reads one cluster while
      // the others fetch.
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

  private def openMore(): Unit = {
    val places = room.open()
    places.map(_.cluster).distinct.foreach { id =>
      val one = byId(id)
      one.open(places.filter(_.cluster == id).map(_.partition))
      if (!reading.contains(one)) reading :+= one
    }
  }

  private def pollOne(timeout: Duration): RecordBatch = {
    val one   = reading(turn)
    val batch = one.poll(timeout)
    openMore()
    one.settle()
    if (one.fetching) turn += 1 else reading = reading.patch(turn, Nil, 1)
    if (turn >= reading.size) turn = 0
    batch
  }
}

private object RangeReader {

  /** Long enough not to burn a core, short enough to notice what other clusters bring. */
  val Moment: Duration = Duration.ofMillis(5)
}
