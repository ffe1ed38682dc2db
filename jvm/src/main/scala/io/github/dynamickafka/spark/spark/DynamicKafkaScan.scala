package io.github.dynamickafka.spark.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.read.{Batch, Scan, ScanBuilder, SupportsPushDownRequiredColumns}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.types.StructType

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.driver.DecisionFolder
import io.github.dynamickafka.spark.options.{ReadKind, SourceOptionsParser, SourceSettings, StreamSelection}
import io.github.dynamickafka.spark.read.ReadSettings

/** Selects the columns that a batch read needs. A streaming read gets all of them, at no cost: its vectors are lazy. */
final class DynamicKafkaScanBuilder(options: Map[String, String])
    extends ScanBuilder
    with SupportsPushDownRequiredColumns {
  // Spark passes the columns in a call before build(), so the interface needs a field that changes.
  private var columns: StructType = RowSchema.all

  override def pruneColumns(required: StructType): Unit = columns = required

  override def build(): Scan = new DynamicKafkaScan(options, columns)
}

final class DynamicKafkaScan(options: Map[String, String], columns: StructType) extends Scan {
  override def readSchema(): StructType = columns

  /** Shown in plans and in the UI, where no secret may appear: only the choice of streams. */
  override def description(): String = {
    val chosen = SourceOptionsParser.parse(options, ReadKind.Batch)
      .orElse(SourceOptionsParser.parse(options, ReadKind.Streaming))
      .fold(
        _ => "",
        _.selection match {
          case StreamSelection.Ids(ids)                => ids.mkString("streams ", ", ", "")
          case StreamSelection.Matching(pattern)       => s"streams like $pattern"
          case StreamSelection.SubscriberClass(name)   => s"streams chosen by $name"
          case StreamSelection.RegisteredSubscriber(_) => "streams chosen by a subscriber"
        }
      )
    s"dynamic-kafka $chosen"
  }

  override def columnarSupportMode(): Scan.ColumnarSupportMode = Scan.ColumnarSupportMode.SUPPORTED

  override def toBatch: Batch =
    new DynamicKafkaBatch(SourceOptionsParser.settings(options, ReadKind.Batch), columns)

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = {
    val session = SparkSession.active
    new DynamicKafkaStream(
      SourceOptionsParser.settings(options, ReadKind.Streaming),
      columns,
      new DecisionFolder(checkpointLocation, CheckpointFiles.configuration(session))
    )
  }
}

object DynamicKafkaScan {

  /** The settings that executors need. */
  def reading(settings: SourceSettings): ReadSettings = ReadSettings(
    readTimeout = settings.clusters.readTimeout,
    idleTimeout = settings.consumers.idleTimeout,
    fetchBytes = settings.consumers.fetchBytes,
    groupIdPrefix = settings.consumers.groupIdPrefix,
    failOnDataLoss = settings.offsets.failOnDataLoss
  )
}
