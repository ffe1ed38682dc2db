package io.github.dynamickafka.spark.spark

import java.time.Clock
import java.util
import java.util.{Optional, UUID}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import org.apache.spark.SparkContext
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.connector.read.streaming.{
  MicroBatchStream,
  Offset,
  ReadLimit,
  ReportsSourceMetrics,
  SupportsTriggerAvailableNow
}
import org.apache.spark.sql.types.StructType

import io.github.dynamickafka.spark.driver.{OpenedSource, SourceDriver, StreamingSource}
import io.github.dynamickafka.spark.metadata.CallingQuery
import io.github.dynamickafka.spark.metrics.{ReadFigures, SourceMetrics}
import io.github.dynamickafka.spark.monitoring.{Monitoring, SourceGauges}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.{SourceSettings, UnreadableRangePolicy}
import io.github.dynamickafka.spark.plan.RecoveryAdvice
import io.github.dynamickafka.spark.read.RangeReaderFactory
import io.github.dynamickafka.spark.reconcile.BatchKind

/** One streaming read, as Spark's engine calls it. It only translates. It opens nothing before the first call that
  * needs it, because Spark does not stop a stream whose query never began.
  *
  * @param files of the source in the checkpoint
  */
class DynamicKafkaStream(settings: SourceSettings, columns: StructType, files: CheckpointFiles)
    extends MicroBatchStream
    with SupportsTriggerAvailableNow
    with ReportsSourceMetrics {
  private val start        = new SparkCheckpoint(settings.oneCluster.map(_.id), files)
  private val availableNow = new AtomicBoolean(false)
  private val used         = new AtomicBoolean(false)
  // The source, if it is open, for other threads: they must not open it.
  private val opened  = new AtomicReference(Option.empty[StreamingSource])
  protected val texts = new OffsetTexts(start.read)

  protected lazy val context: SparkContext = SparkContext.getOrCreate()
  private lazy val source: StreamingSource = {
    used.set(true)
    gauges.foreach(_.begin())
    val made = OpenedSource.streaming(settings, files.decisions, query, () => start.partitions, files.begun, batches)
    opened.set(Some(made))
    made
  }
  protected def driver: SourceDriver = source.driver

  /** How far its batches read. */
  def batches: BatchKind = BatchKind.Planned

  protected lazy val query: Option[CallingQuery] = RunningQuery.of(context, files)
  protected lazy val status: KeptStatus          = KeptStatus.of(settings, query, driver, context, files.configuration)
  private lazy val placement: TaskPlacement      = TaskPlacement.of(
    context,
    // Where a batch may defer the rest of a partition, one task reads the partition.
    settings.limits.tasks.copy(whole = defers),
    () => figures.work.measured(figures.sizes)
  )
  protected lazy val figures: ReadFigures    = ReadFigures.register(context, settings.limits.batch)
  protected lazy val reported: SourceMetrics = new SourceMetrics(source, figures, Clock.systemUTC)

  protected lazy val gauges: Option[SourceGauges] = query.flatMap(one => Monitoring.of(one.identity))

  override def initialOffset(): Offset = texts.of(start.initial)

  override def deserializeOffset(json: String): Offset = texts.read(json)

  override def getDefaultReadLimit: ReadLimit = EngineLimits.of(settings.limits)

  override def latestOffset(from: Offset, limit: ReadLimit): Offset = {
    val held = begins(from)
    if (availableNow.get || EngineLimits.once(limit)) driver.freeze()
    lookAtProgress()
    finished(held)
    status.during(texts.of(driver.latest(held, EngineLimits.readLimits(limit, figures.sizes))))
  }

  protected def begins(from: Offset): SourceOffset = start.begins(texts.read(from).value)

  // The end of the next batch is asked for only after this one is finished.
  protected def finished(end: SourceOffset): Unit = source.finished(end)

  protected def committing(from: SourceOffset): Unit = source.commits.foreach(_.begins(from))

  override def latestOffset(): Offset =
    throw new UnsupportedOperationException("latestOffset(Offset, ReadLimit) is called instead")

  override def reportLatestOffset(): Offset =
    driver.remembered.last.map(last => texts.of(last.reconciled.newest)).orNull

  override def prepareForTriggerAvailableNow(): Unit = availableNow.set(true)

  override def planInputPartitions(begin: Offset, end: Offset): Array[InputPartition] = {
    val (from, to) = (texts.read(begin).value, texts.read(end))
    val until      = start.begins(to.value)
    committing(from)
    lookAtProgress()
    val first = start.batchFrom(from, to, settings.offsets.failOnDataLoss)
    val batch = status.during(driver.plan(first, until, RunningQuery.batch(context)))
    placement.tasks(batch, until.clusters.contains)
  }

  private def lookAtProgress(): Unit =
    if (AsyncProgress.of(Thread.currentThread)) driver.progressIsAsynchronous()

  private def defers: Boolean = settings.clusters.unreadable == UnreadableRangePolicy.Defer

  /** Where tasks report. */
  private lazy val ends: Option[TaskEnds] = {
    endsOpened.set(true)
    TaskEnds.of(driver.running, endsName, context, driver.defers)
  }
  private lazy val endsName = s"dynamic-kafka-ends-${UUID.randomUUID}"
  private val endsOpened    = new AtomicBoolean(false)

  private def link: Option[TaskLink] =
    ends.map(_ =>
      new TaskLink(endsName, driver.running.number, settings.clusters.requestTimeout.toMillis, driver.defers)
    )

  override def createReaderFactory(): PartitionReaderFactory = {
    figures.lateness.reset()
    new RangeReaderFactory(
      driver.connectionsOfBatch,
      driver.kafkaIdsOfBatch,
      DynamicKafkaScan.reading(settings, RecoveryAdvice.of(settings.clusters)),
      columns,
      figures,
      link
    )
  }

  override def metrics(latestConsumed: Optional[Offset]): util.Map[String, String] = {
    val consumed = Option(latestConsumed.orElse(null)).map(texts.read(_).value)
    // After the last batch of a run, or for a long time, no other call follows.
    consumed.foreach { end =>
      source.finished(end)
      driver.ended(end)
    }
    val now = reported.of(consumed)
    gauges.foreach(_.report(now))
    now
  }

  override def commit(end: Offset): Unit = driver.committed(texts.read(end).value)

  // The status first, because it is written while the rest closes.
  override def stop(): Unit = if (used.get) {
    gauges.foreach(_.close())
    // If it could not be opened, it is not opened once more to be closed.
    opened.get.foreach { source =>
      status.ending()
      try if (endsOpened.get) ends.foreach(_.close())
      finally {
        source.close()
        status.close()
      }
    }
  }

  // The source's description in progress events.
  override def toString: String = s"dynamic-kafka ${ShownStreams.of(settings.selection)}"
}
