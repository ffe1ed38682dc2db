package io.github.dynamickafka.spark.spark

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.DynamicKafkaSource
import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.metadata.{ChosenStreams, MetadataServices, Registered}
import io.github.dynamickafka.spark.options.{
  LiteralSecrets,
  ReadKind,
  ServiceChoice,
  SourceOptionsParser,
  SourceSettings,
  StreamSelection
}

/** The rows of the chosen streams.
  *
  * @param options as they were given to the reader or to the table
  * @param handedOver the user's objects that the options name; held here, since their registry holds them weakly, and
  *                   every plan that reads the table holds the table
  */
final class DynamicKafkaTable private (options: Map[String, String], val handedOver: Seq[AnyRef]) extends Table
    with SupportsRead {
  override def name(): String = DynamicKafkaSource.Format

  override def schema(): StructType = RowSchema.all

  override def capabilities(): util.Set[TableCapability] =
    Set(TableCapability.BATCH_READ, TableCapability.MICRO_BATCH_READ).asJava

  override def newScanBuilder(reader: CaseInsensitiveStringMap): ScanBuilder = {
    val own = reader.asCaseSensitiveMap.asScala.toMap
    new DynamicKafkaScanBuilder(DynamicKafkaTable.merged(options, own))
  }
}

object DynamicKafkaTable {
  private val log = LoggerFactory.getLogger(classOf[DynamicKafkaTable])

  /** @throws io.github.dynamickafka.spark.errors.DynamicKafkaException `INVALID_OPTION`, with every problem
    */
  def of(options: Map[String, String]): DynamicKafkaTable = {
    // Whether this will be a streaming or a batch read is not known yet: what fits either passes here.
    val settings = SourceOptionsParser.parse(options, ReadKind.Batch)
      .getOrElse(SourceOptionsParser.settings(options, ReadKind.Streaming))
    MetadataServices.check(settings.service)
    ChosenStreams.check(settings.selection)
    warnOfSecrets(LiteralSecrets.among(options))
    new DynamicKafkaTable(options, objects(settings))
  }

  private def warnOfSecrets(keys: Seq[String]): Unit =
    if (keys.nonEmpty)
      log.warn(
        s"${Condition.InvalidOption} A secret stands in an option, and Spark prints options. Put it behind $${env:NAME} or " +
          s"$${file:PATH}, or into the metadata. options=${keys.mkString(",")}"
      )

  private def objects(settings: SourceSettings): Seq[AnyRef] = {
    val service = settings.service.choice match {
      case ServiceChoice.Registered(handle) => Some(Registered.findService(handle))
      case _                                => None
    }
    val subscriber = settings.selection match {
      case StreamSelection.RegisteredSubscriber(handle) => Some(Registered.findSubscriber(handle))
      case _                                            => None
    }
    service.toSeq ++ subscriber
  }

  /** A reader's option replaces the table's, however its key is written. */
  private def merged(table: Map[String, String], reader: Map[String, String]): Map[String, String] = {
    val replaced = reader.keySet.map(_.toLowerCase(java.util.Locale.ROOT))
    table.filterNot { case (key, _) => replaced(key.toLowerCase(java.util.Locale.ROOT)) } ++ reader
  }
}
