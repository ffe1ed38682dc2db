package io.github.dynamickafka.spark.spark

import java.util
import java.util.Optional
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}

import scala.util.Try

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.connector.read.streaming.{Offset, PartitionOffset, ReadLimit, SupportsRealTimeMode}
import org.apache.spark.sql.types.StructType

import io.github.dynamickafka.spark.driver.realtime.{KeptBeginnings, RealTimeDriver}
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.{OptionProblems, RealTimeRefusals, SourceSettings}
import io.github.dynamickafka.spark.plan.RecoveryAdvice
import io.github.dynamickafka.spark.read.TaskRanges
import io.github.dynamickafka.spark.read.realtime.RealTimeReaderFactory
import io.github.dynamickafka.spark.realtime.RealTimeTasks
import io.github.dynamickafka.spark.reconcile.BatchKind

/** The same streaming read, where Spark has Real-Time Mode: from 4.1 on, and it is only loaded there. Unless Spark says that
  * the query is in this mode, it behaves like any other read.
  */
final class RealTimeStream(settings: SourceSettings, columns: StructType, files: CheckpointFiles)
    extends DynamicKafkaStream(settings, columns, files)
    with SupportsRealTimeMode {
  private val chosen = new AtomicBoolean(false)
  private val opened = new AtomicBoolean(false)
  private val linked = new AtomicBoolean(false)
  private val shape  = new AtomicReference(Option.empty[QueryShape])

  override def batches: BatchKind = if (chosen.get) BatchKind.RealTime else BatchKind.Planned

  private lazy val realTime: RealTimeDriver = {
    opened.set(true)
    new RealTimeDriver(driver, driver.environment, s"${System.identityHashCode(this)}", looked(_), copies)
  }
  private def copies = context.getConf.getBoolean("spark.speculation", defaultValue = false)

  private lazy val messages = {
    linked.set(true)
    new RealTimeMessages(realTime, report => report.lateness.foreach(figures.lateness.add))
  }

  // The end of a batch, when Spark asks for metrics, may be minutes away.
  private def looked(reached: SourceOffset): Unit = gauges.foreach(_.report(reported.of(Some(reached))))

  /** Spark calls this before it deletes what is logged and not committed. */
  override def prepareForRealTimeMode(): Unit = {
    if (!RealTimeStream.supported) throw RealTimeStream.unsupported
    val refused = RealTimeRefusals.of(settings)
    if (refused.nonEmpty) throw OptionProblems.error(refused)
    files.leftOver.filterNot(_ => new KeptBeginnings(files.begun).realTime).foreach(number =>
      throw RealTimeStream.leftOver(number)
    )
    chosen.set(true)
  }

  override def latestOffset(from: Offset, limit: ReadLimit): Offset =
    if (!chosen.get) super.latestOffset(from, limit)
    else {
      // Later calls may come on other threads.
      shape.compareAndSet(None, QueryShape.of(Thread.currentThread, RealTimeStream.shufflePartitions)): Unit
      val held = begins(from)
      finished(held)
      status.during(texts.of(realTime.latest(held)))
    }

  override def planInputPartitions(start: Offset): Array[InputPartition] = {
    val from = texts.read(start).value
    committing(from)
    val ranges    = status.during(realTime.plan(from, () => committed()))
    val executors = LiveExecutors.now()
    // Tasks for cores that are still to come would wait, and read nothing.
    val most = settings.limits.realTimeTasks.getOrElse {
      val cores = ParallelTasks.now(context, executors.size)
      shape.get.fold(cores)(_.tasks(cores))
    }
    RealTimeTasks.of(ranges, most).zipWithIndex.map { case (numbers, task) =>
      val where = if (executors.isEmpty) None else executors(task % executors.size).location
      new TaskRanges(numbers.map(ranges).toArray, where.toArray, numbers.toArray): InputPartition
    }.toArray
  }

  private def committed(): Unit = {
    val number = RunningQuery.batch(context).getOrElse(throw new IllegalStateException("Spark names no batch"))
    files.awaitCommit(number - 1)
  }

  override def createReaderFactory(): PartitionReaderFactory =
    if (!chosen.get) super.createReaderFactory()
    else {
      figures.lateness.reset()
      new RealTimeReaderFactory(
        driver.connectionsOfBatch,
        driver.kafkaIdsOfBatch,
        DynamicKafkaScan.reading(settings, RecoveryAdvice.of(settings.clusters)),
        columns,
        messages.link(settings.clusters.requestTimeout.toMillis)
      )
    }

  // What Spark has collected is empty: readers report to the driver.
  override def mergeOffsets(offsets: Array[PartitionOffset]): Offset = {
    val end = texts.of(realTime.merged)
    if (realTime.current.exists(_.fellBack)) reported.restart()
    end
  }

  override def metrics(latestConsumed: Optional[Offset]): util.Map[String, String] =
    if (!chosen.get) super.metrics(latestConsumed) else driver.synchronized(super.metrics(latestConsumed))

  override def stop(): Unit = {
    if (opened.get) {
      realTime.close()
      if (linked.get) messages.close()
    }
    super.stop()
  }
}

object RealTimeStream {

  /** Only a call of this loads the class, which older versions of Spark can't load. */
  def of(settings: SourceSettings, columns: StructType, files: CheckpointFiles): DynamicKafkaStream =
    new RealTimeStream(settings, columns, files)

  private def shufflePartitions: Int = SparkSession.active.conf.get("spark.sql.shuffle.partitions").toInt

  /** Whether this Spark calls readers of this mode as Spark 4.2 does. */
  private def supported: Boolean = Try {
    val reader = Class.forName("org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead")
    reader.getMethod("nextWithTimeout", classOf[java.lang.Long], classOf[java.lang.Long])
  }.isSuccess

  private def unsupported: DynamicKafkaException = DynamicKafkaException(
    Condition.InvalidOption,
    s"Real-Time Mode needs Spark 4.2 or newer, and this is Spark ${org.apache.spark.SPARK_VERSION}. Use another trigger here."
  )

  private def leftOver(number: Long): DynamicKafkaException = DynamicKafkaException(
    Condition.InvalidOption,
    s"Batch $number is logged and not committed, and another trigger has logged it. A query changes to Real-Time " +
      "Mode only at a committed batch: Spark would delete this one, and a sink may have a part of it. Run the query " +
      "once with trigger(availableNow=True), which finishes it; then start it with trigger(realTime=…)."
  )
}
