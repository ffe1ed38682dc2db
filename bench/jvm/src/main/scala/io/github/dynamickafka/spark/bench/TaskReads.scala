package io.github.dynamickafka.spark.bench

import java.lang.{Long => JLong}
import java.time.Duration
import java.util.concurrent.TimeUnit

import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}
import org.openjdk.jmh.annotations._

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.metrics.{LargestValue, ReadFigures}
import io.github.dynamickafka.spark.plan.OffsetRange
import io.github.dynamickafka.spark.read.{RangeReaderFactory, ReadSettings, TaskRanges}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** How long one task takes to read a number of records at the end of a number of partitions. One real broker serves as
  * all clusters. Consumers are warm, or new each time. Spark is left out: the start of the task, and its work on rows
  * other than reading their values.
  */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.SECONDS)
class TaskReads {
  import TaskReads._

  /** Clusters, partitions of each, and records of each partition. `new-` before them means new consumers. */
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

  // If no more records come, a consumer's next fetch waits at the broker, and a read directly after it waits for that.
  private def connection =
    new ConnectionSettings(Map("bootstrap.servers" -> address, "fetch.max.wait.ms" -> "0"))

  private def factory(prefix: String, idleTimeout: Duration): RangeReaderFactory = new RangeReaderFactory(
    ids.map(_ -> connection).toMap,
    kafkaIds = Map.empty,
    ReadSettings(Minute, idleTimeout, fetchBytes = room << 20, prefix, failOnDataLoss = true, advice = ""),
    RowSchema.all,
    new ReadFigures(new LargestValue(new CollectionAccumulator[JLong]), new LongAccumulator, None)
  )

  @Benchmark
  def read(): Long = {
    reads += 1
    // Another prefix means other consumers.
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
