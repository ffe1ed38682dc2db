package io.github.dynamickafka.spark.bench

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import io.github.dynamickafka.spark.fakes.Seen
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.{Admission, OffsetRange, PlannedBatch, RangeSplitter}

/** What the driver does for each batch, brokers and Spark left out. */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.SECONDS)
class DriverSteps {

  /** Clusters and the partitions of each. */
  @Param(Array("100x100"))
  var size: String = _

  private var clusters: ScriptedClusters = _
  private var offset: SourceOffset       = _
  private var text: String               = _
  private var heldBytes: Double          = _

  @Setup
  def prepare(): Unit = {
    val counts = size.split("x").map(_.toInt)
    clusters = new ScriptedClusters(counts(0), counts(1))
    text = OffsetJson.write(clusters.seen().read.held)
    // Read from its text, so that it shares nothing with anything else.
    val before = UsedMemory.bytes()
    offset = OffsetJson.read(text)
    heldBytes = (UsedMemory.bytes() - before).toDouble
  }

  /** From what the clusters answered to the tasks of the batch, a limit on its size included. */
  @Benchmark
  def plan(): Vector[Vector[OffsetRange]] = {
    val seen: Seen = clusters.seen()
    val step       = seen.step
    val limit      = 1000L * clusters.partitionCount
    val end        = step.offset.moved(Admission(Instant.EPOCH).shared(step.offset, step.readable, Some(limit)))
    RangeSplitter.tasks(PlannedBatch.between(seen.query.held, end, Map.empty).ranges, 64)
  }

  @Benchmark
  def writeOffset(sizes: OffsetSizes): String = {
    val written = OffsetJson.write(offset)
    sizes.textBytes = text.getBytes(UTF_8).length.toDouble
    sizes.heldBytes = heldBytes
    written
  }

  @Benchmark
  def readOffset(): SourceOffset = OffsetJson.read(text)
}
