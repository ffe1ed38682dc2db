package io.github.dynamickafka.spark.read

import java.time.Duration
import java.util.concurrent.Semaphore

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.github.dynamickafka.spark.columns.{RecordBatch, RecordColumns}

/** Reads the ranges of one task. It fetches as many partitions at a time, over all clusters, as the task's memory
  * limit allows ([[FetchWindow]]). When a partition is read to its end, the next one takes its room. Each poll of one
  * cluster that finds records is one batch of columns, so a slow cluster holds back none of the others
  * (`make bench-quick ARGS=throughput`).
  *
  * Where rows go through another process, Spark reads on a thread of its own, and closes on the task's thread. Kafka's
  * consumers are not thread-safe. So a reader that is closed while it reads returns its consumers when that call ends.
  *
  * @param clusters in any order; nothing of them is fetched yet
  * @param leases what they borrow; `close` returns it
  * @param stopped whether Spark wants the task to end
  * @param downstream measures the rest of the query
  * @param end set if the driver decides how far this batch reads its ranges
  */
final private[read] class RangeReader(
    clusters: Vector[ClusterReading],
    leases: Vector[Lease],
    room: FetchWindow,
    columns: RecordColumns,
    watch: Stopwatch,
    stopped: () => Boolean,
    downstream: Downstream,
    end: Option[TaskEnd] = None
) extends PartitionReader[ColumnarBatch] {
  import RangeReader._

  private val byId = clusters.map(one => one.cluster -> one).toMap

  // Variables of the inner loop: whether anything was fetched yet, the clusters that fetch, whose turn it is, and what
  // the last turn found.
  private var started                         = false
  private var ended                           = false
  private var reading: Vector[ClusterReading] = Vector.empty
  private var turn                            = 0
  private var found: RecordBatch              = RecordBatch.empty
  // Whether a record came since all that was fetched has last made room.
  private var advanced = true

  // Whoever closes it keeps the permit.
  private val use              = new Semaphore(1)
  @volatile private var closed = false

  /** @throws InterruptedException when the task is stopped, or was closed before all was read */
  override def next(): Boolean =
    if (!closed && use.tryAcquire()) {
      try {
        downstream.asks()
        val more = read()
        downstream.gets(found.count)
        more
      } finally {
        use.release()
        if (closed) close()
      }
    } else if (started && reading.isEmpty) false
    else throw new InterruptedException("the task has ended")

  private def read(): Boolean = {
    watch.start()
    try {
      // The columns release the last batch before the wait for the next one: it may be as large.
      columns.show(RecordBatch.empty)
      // Fetches are sent to every cluster before the first one is waited for.
      if (!started) fetchMore(polled = None)
      started = true
      found = RecordBatch.empty
      // The first round takes only what has arrived already, of any cluster. Then each is waited for a moment. So a task
      // reads one cluster while the others fetch.
      var polls = 0
      while (found.count == 0 && reading.nonEmpty) {
        if (stopped() || closed) throw new InterruptedException("the task was stopped")
        found = pollOne(if (polls < reading.size) Duration.ZERO else moment(reading.size))
        polls += 1
        if (found.count == 0 && reading.nonEmpty && end.exists(_.askWhenStalled(clusters, reading, makeRoom()))) {
          reading.foreach(_.leave())
          reading = Vector.empty
          ended = true
        }
      }
      if (found.count == 0 && !ended) {
        end.foreach(_.finish(clusters))
        ended = true
      }
      if (found.count > 0) advanced = true
      found.count > 0
    } finally watch.stop()
  }

  override def get(): ColumnarBatch = columns.show(found)

  override def close(): Unit = {
    closed = true
    if (use.tryAcquire()) giveBack()
  }

  // An action such as `take` closes before the end. The rows of a failed task do not count.
  private def giveBack(): Unit =
    try
      if (started && !ended && !stopped()) {
        // This clock limits the wait for the driver.
        watch.start()
        end.foreach(_.close(clusters))
      }
    finally
      try leases.foreach(_.close())
      finally {
        // What consumers keep is counted as idle by now.
        room.close()
        downstream.ended()
      }

  // Nothing comes of all that is fetched. What waits for room may be on a healthy cluster.
  private def makeRoom(): Boolean = {
    val makes = room.requeued(reading.flatMap(_.fetched), advanced)
    if (makes) {
      advanced = false
      reading.foreach(_.requeue())
      reading = Vector.empty
      turn = 0
      fetchMore(polled = None)
    }
    makes
  }

  // Partitions that wait get the room that is free. Before that, the cluster that was polled lets go of what it has read.
  private def fetchMore(polled: Option[ClusterReading]): Unit = {
    val places = room.opened()
    (polled.map(_.cluster).toVector ++ places.map(_.cluster)).distinct.foreach { id =>
      val one = byId(id)
      one.fetch(places.filter(_.cluster == id).map(_.partition))
      if (one.fetching && !reading.contains(one)) reading :+= one
    }
  }

  private def pollOne(timeout: Duration): RecordBatch = {
    val one   = reading(turn)
    val batch = one.poll(timeout)
    fetchMore(Some(one))
    if (one.fetching) turn += 1 else reading = reading.patch(turn, Nil, 1)
    if (turn >= reading.size) turn = 0
    batch
  }
}

private object RangeReader {

  /** How long one of so many clusters is waited for. One round over all of them takes 5 ms, because Kafka's consumer sends
    * its next request, such as the next step of a login, only while it is polled. A wait of less than 1 ms would keep a
    * core busy.
    */
  def moment(clusters: Int): Duration = Duration.ofMillis((5 / clusters).max(1).toLong)
}
