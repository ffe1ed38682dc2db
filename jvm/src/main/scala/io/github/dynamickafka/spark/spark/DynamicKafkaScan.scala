package io.github.dynamickafka.spark.spark

import scala.util.Try

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.{
  Batch,
  Scan,
  ScanBuilder,
  SupportsPushDownRequiredColumns,
  SupportsPushDownV2Filters
}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.types.StructType

import io.github.dynamickafka.spark.driver.OpenedSource
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser, SourceSettings}
import io.github.dynamickafka.spark.plan.filter.{KeptRows, RowFilter}
import io.github.dynamickafka.spark.read.ReadSettings
import io.github.dynamickafka.spark.reconcile.BatchKind

/** Takes the columns and the filters of a batch read. A streaming read gets all columns, and its lazy vectors make that free;
  * Spark pushes no filters into it.
  */
final private[spark] class DynamicKafkaScanBuilder(options: Map[String, String], all: StructType)
    extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownV2Filters {
  // Spark hands over columns and filters by calls between making this and build(): the interfaces ask for fields that change.
  private var columns: StructType                    = all
  private var pushed: Vector[(Predicate, RowFilter)] = Vector.empty

  override def pruneColumns(required: StructType): Unit = columns = required

  /** Rows that the predicates certainly leave out are not fetched. Spark evaluates all predicates again, so they
    * need not be translated completely.
    */
  override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] = {
    pushed = predicates.toVector.map(it => it -> RowFilters.of(it)).filter { case (_, filter) =>
      new KeptRows(filter).fewer
    }
    predicates
  }

  override def pushedPredicates(): Array[Predicate] = pushed.map(_._1).toArray

  override def build(): Scan = new DynamicKafkaScan(options, columns, pushed.map(_._2))
}

final private[spark] class DynamicKafkaScan(
    options: Map[String, String],
    columns: StructType,
    filters: Vector[RowFilter]
) extends Scan {
  private val kept    = new KeptRows(RowFilter.All(filters))
  private val planned = new PlannedRead(() => OpenedSource.bounded(settings(ReadKind.Batch), kept), () => action)

  override def readSchema(): StructType = columns

  /** Shown in plans and in the UI, where no secret may be: the choice of streams, and the filters. It asks no
    * service and no cluster, because plans are printed in many places.
    */
  override def description(): String = (s"dynamic-kafka $chosen" +: shownFilters.toVector).mkString(", ")

  private def chosen: String =
    SourceOptionsParser.parse(options, ReadKind.Batch).orElse(SourceOptionsParser.parse(options, ReadKind.Streaming))
      .fold(_ => "", settings => ShownStreams.of(settings.selection))

  private def shownFilters: Option[String] =
    Option.when(filters.nonEmpty)(filters.mkString("fetched where [", ", ", "]"))

  // Set by the one call that makes a stream of it.
  @volatile private var stream = Option.empty[DynamicKafkaStream]

  // Spark asks when it plans a batch. Readers of Real-Time Mode return rows, not column batches.
  override def columnarSupportMode(): Scan.ColumnarSupportMode =
    if (stream.exists(_.batches == BatchKind.RealTime)) Scan.ColumnarSupportMode.UNSUPPORTED
    else Scan.ColumnarSupportMode.SUPPORTED

  override def toBatch: Batch = new DynamicKafkaBatch(settings(ReadKind.Batch), columns, planned)

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = {
    val session = SparkSession.active
    val files   = new CheckpointFiles(checkpointLocation, CheckpointFiles.configuration(session))
    val made    = DynamicKafkaScan.stream(settings(ReadKind.Streaming), columns, files)
    stream = Some(made)
    made
  }

  private def settings(kind: ReadKind): SourceSettings = SourceOptionsParser.settings(options, kind)

  // Spark keeps the number of an action in a property of the thread. Its own thread pools pass that property on.
  private def action: Option[String] = Option(SparkContext.getOrCreate().getLocalProperty("spark.sql.execution.id"))
}

object DynamicKafkaScan {

  /** A stream with Real-Time Mode, if Spark has it. Otherwise the class `RealTimeStream` can't be loaded. */
  private def stream(settings: SourceSettings, columns: StructType, files: CheckpointFiles): DynamicKafkaStream =
    if (hasRealTimeMode) RealTimeStream.of(settings, columns, files)
    else new DynamicKafkaStream(settings, columns, files)

  private lazy val hasRealTimeMode: Boolean =
    Try(Class.forName("org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode")).isSuccess

  /** The settings that executors need. */
  def reading(settings: SourceSettings, advice: String): ReadSettings = ReadSettings(
    readTimeout = settings.clusters.readTimeout,
    idleTimeout = settings.consumers.idleTimeout,
    fetchBytes = settings.consumers.fetchBytes,
    groupIdPrefix = settings.consumers.groupIdPrefix,
    failOnDataLoss = settings.offsets.failOnDataLoss,
    advice = advice,
    executorBytes = settings.consumers.executorBytes,
    agreement = settings.clusters.requestTimeout
  )
}
