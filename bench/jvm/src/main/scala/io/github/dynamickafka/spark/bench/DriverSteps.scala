package io.github.dynamickafka.spark.bench

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import io.github.dynamickafka.spark.driver.memory.DriverState
import io.github.dynamickafka.spark.fakes.Seen
import io.github.dynamickafka.spark.metrics.{ClusterFigures, Progress}
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.plan.{Admission, OffsetRange, OffsetRanges, RangeSplitter}

/** The driver's work for each batch, without brokers and Spark. */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.SECONDS)
class DriverSteps {

  /** Clusters and the partitions of each. */
  @Param(Array("100x100"))
  var size: String = _

  private var clusters: ScriptedClusters = _
  private var state: DriverState         = _
  private var consumed: SourceOffset     = _
  private var offset: SourceOffset       = _
  private var text: String               = _
  private var heldBytes: Double          = _

  @Setup
  def prepare(): Unit = {
    val counts = size.split("x").map(_.toInt)
    clusters = new ScriptedClusters(counts(0), counts(1))
    val seen = clusters.seen()
    state = clusters.stepped(seen)
    consumed = end(seen)
    text = OffsetJson.write(seen.read.held)
    // Read from its text, so that it shares no objects with others.
    val before = UsedMemory.bytes()
    offset = OffsetJson.read(text)
    heldBytes = (UsedMemory.bytes() - before).toDouble
  }

  /** From the clusters' answers to the tasks of the batch, including a limit on its size. */
  @Benchmark
  def plan(): Vector[Vector[OffsetRange]] = {
    val seen = clusters.seen()
    RangeSplitter.tasks(OffsetRanges.between(seen.query.held, end(seen)), 64)
  }

  // The limit is a quarter of what can be read.
  private def end(seen: Seen): SourceOffset = {
    val step  = seen.step
    val limit = 1000L * clusters.partitionCount
    step.offset.moved(Admission(Instant.EPOCH).shared(step.offset, step.readable, Some(limit)))
  }

  @Benchmark
  def writeOffset(sizes: OffsetSizes): String = {
    val written = OffsetJson.write(offset)
    sizes.textBytes = textBytes
    sizes.heldBytes = heldBytes
    written
  }

  @Benchmark
  def readOffset(): SourceOffset = OffsetJson.read(text)

  /** What the driver remembers of a trigger, with a backlog in each partition. */
  @Benchmark
  def remember(): DriverState = state.stepped(state.last.get)

  /** The metrics of a progress event, after a batch that left a backlog. */
  @Benchmark
  def metrics(sizes: EventSizes): Map[String, String] = {
    val step    = state.last.get
    val moved   = Progress.begin(step.at).at(step.at, step.held).at(step.at.plusSeconds(10), consumed)
    val all     = ClusterFigures.of(step, state, Some(consumed), moved.rates)
    val figures = all.texts ++ all.delays.at(step.at)
    sizes.figureBytes = figureBytes(figures)
    // The start and end offset of the batch, and the latest offset.
    sizes.eventBytes = sizes.figureBytes + 3 * textBytes
    figures
  }

  private def textBytes: Double = text.getBytes(UTF_8).length.toDouble

  // As JSON: quotes, colon and comma.
  private def figureBytes(figures: Map[String, String]): Double =
    figures.iterator.map { case (name, value) => name.length + value.length + 6.0 }.sum
}
