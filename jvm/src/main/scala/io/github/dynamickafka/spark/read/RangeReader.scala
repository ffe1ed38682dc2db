package io.github.dynamickafka.spark.read

import java.time.Duration
import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.github.dynamickafka.spark.columns.{RecordBatch, RecordColumns}

/** Reads the ranges of one task. As many partitions as its room takes are fetched at the same time, of all clusters; each
  * poll of one cluster that finds records is one batch of columns, so a slow cluster holds back none of the others
  * (`make bench-quick ARGS=throughput`). When a partition is read to its end, the next one takes its room.
  *
  * Where rows go through another process, Spark reads by a thread of its own, and closes by the task's. So what is closed
  * while it reads returns its consumers when that call ends: Kafka's consumers are not safe for threads.
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

  private val use = new AtomicReference[Use](Free)

  /** @throws InterruptedException when the task is stopped, or was closed before all was read */
  override def next(): Boolean =
    if (use.compareAndSet(Free, Busy)) {
      try read()
      finally leave()
    } else if (started && reading.isEmpty) false
    else throw new InterruptedException("the task has ended")

  private def leave(): Unit = if (use.getAndUpdate(_.left) == ClosedInUse) giveBack()

  private def read(): Boolean = {
    watch.start()
    try {
      // Before anything is waited for: the batch before may be as large as what comes.
      columns.show(RecordBatch.empty)
      // Every cluster gets its fetches sent before the first one is waited for.
      if (!started) openMore()
      started = true
      found = RecordBatch.empty
      // First only what is there already, of anyone; then each is waited for a moment: so a task reads one cluster while
      // the others fetch.
      var polls = 0
      while (found.count == 0 && reading.nonEmpty) {
        if (stopped() || use.get == ClosedInUse) throw new InterruptedException("the task was stopped")
        found = pollOne(if (polls < reading.size) Duration.ZERO else Moment)
        polls += 1
      }
      found.count > 0
    } finally watch.stop()
  }

  override def get(): ColumnarBatch = columns.show(found)

  override def close(): Unit = if (use.getAndUpdate(_.closed) == Free) giveBack()

  private def giveBack(): Unit = leases.foreach(_.close())

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

  /** Whether a call reads now, and whether the reader was closed. */
  sealed abstract class Use {
    def left: Use   = this
    def closed: Use = this
  }
  case object Free extends Use { override def closed: Use = Closed }
  case object Busy extends Use {
    override def left: Use   = Free
    override def closed: Use = ClosedInUse
  }
  case object ClosedInUse extends Use { override def left: Use = Closed }
  case object Closed      extends Use

  /** Long enough not to burn a core, short enough to notice what other clusters bring. */
  val Moment: Duration = Duration.ofMillis(5)
}
