package io.github.dynamickafka.spark.bench

import java.time.Duration
import java.util.concurrent.TimeUnit

import org.apache.spark.util.LongAccumulator
import org.openjdk.jmh.annotations._

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.metrics.{LargestValue, ReadFigures}
import io.github.dynamickafka.spark.plan.{OffsetRange, WayOut}
import io.github.dynamickafka.spark.read.{RangeReaderFactory, ReadSettings, TaskRanges}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** How long one task reads that many records at the end of that many partitions, by consumers of one real broker that
  * stands for all clusters: by warm ones, or each time by new ones. Spark is left out: the task's start, and what it does with rows but look at their values.
  */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.SECONDS)
class TaskReads {
  import TaskReads._

  /** Clusters, partitions of each, and records of each of these; after `new-`, by new consumers. */
  @Param(Array("1x1x100"))
  var size: String = _

  /** Host and port of the broker. */
  @Param(Array("localhost:9092"))
  var address: String = _

  @Param(Array("weights"))
  var topic: String = _

  /** Where each partition of the topic ends. */
  @Param(Array("100"))
  var end: Long = _

  /** `maxFetchBytesPerTask`, in MiB. */
  @Param(Array("128"))
  var room: Long = _

  private var ids: Vector[ClusterId]   = _
  private var task: TaskRanges         = _
  private var warm: RangeReaderFactory = _
  private var fresh: Boolean           = _
  private var reads: Int               = 0

  @Setup
  def prepare(): Unit = {
    val counts     = size.stripPrefix("new-").split("x").map(_.toInt)
    val partitions = counts(1)
    val records    = counts(2)
    ids = Vector.tabulate(counts(0))(n => ClusterId(s"cluster-$n"))
    fresh = size.startsWith("new-")
    warm = factory("warm", Minute)
    val ranges = for (id <- ids; partition <- 0 until partitions)
      yield OffsetRange(PartitionId(id, topic, partition), end - records, end, StreamId("bench"))
    task = new TaskRanges(ranges.toArray)
  }

  private def factory(prefix: String, idleTimeout: Duration): RangeReaderFactory = new RangeReaderFactory(
    ids.map(_ -> new ConnectionSettings(Map("bootstrap.servers" -> address))).toMap,
    ReadSettings(Minute, idleTimeout, fetchBytes = room << 20, prefix, failOnDataLoss = true),
    WayOut.none,
    RowSchema.all,
    new ReadFigures(new LargestValue, new LongAccumulator, None)
  )

  @Benchmark
  def read(): Long = {
    reads += 1
    // Consumers of another prefix are others.
    val reader = (if (fresh) factory(s"new-$reads", Duration.ofMillis(1)) else warm).createColumnarReader(task)
    try {
      var bytes = 0L
      while (reader.next()) {
        val batch  = reader.get()
        val values = batch.column(Value)
        var row    = 0
        while (row < batch.numRows) {
          bytes += values.getBinary(row).length
          row += 1
        }
      }
      bytes
    } finally reader.close()
  }
}

private object TaskReads {
  private val Minute = Duration.ofMinutes(1)
  private val Value  = RowSchema.all.fieldIndex("value")
}
