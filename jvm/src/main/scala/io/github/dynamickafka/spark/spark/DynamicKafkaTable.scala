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
import io.github.dynamickafka.spark.kafka.properties.SecretProperties
import io.github.dynamickafka.spark.metadata.{ChosenStreams, MetadataServices, Registered}
import io.github.dynamickafka.spark.options.{
  OneCluster,
  ReadKind,
  ServiceChoice,
  SourceOptionsParser,
  SourceSettings,
  StreamSelection
}

/** The rows of the chosen streams.
  *
  * @param options as set on the reader or on the table
  * @param handedOver the user's objects that the options name. They are held here because their registry holds them
  *                   weakly; every plan that reads the table holds the table
  */
final class DynamicKafkaTable private (options: Map[String, String], val handedOver: Seq[AnyRef]) extends Table
    with SupportsRead {
  override def name(): String = DynamicKafkaSource.Format

  override def schema(): StructType = DynamicKafkaTable.schema(options)

  override def capabilities(): util.Set[TableCapability] =
    Set(TableCapability.BATCH_READ, TableCapability.MICRO_BATCH_READ).asJava

  override def newScanBuilder(reader: CaseInsensitiveStringMap): ScanBuilder = {
    val own    = reader.asCaseSensitiveMap.asScala.toMap
    val merged = DynamicKafkaTable.merged(options, own)
    new DynamicKafkaScanBuilder(merged, DynamicKafkaTable.schema(merged))
  }
}

object DynamicKafkaTable {
  private val log = LoggerFactory.getLogger(classOf[DynamicKafkaTable])

  def of(options: util.Map[String, String]): DynamicKafkaTable = of(options.asScala.toMap)

  /** The columns of a table with these options. */
  def schemaOf(options: util.Map[String, String]): StructType = schema(options.asScala.toMap)

  /** @throws io.github.dynamickafka.spark.errors.DynamicKafkaException `INVALID_OPTION`, with every problem
    */
  def of(options: Map[String, String]): DynamicKafkaTable = {
    // It is not known yet whether this will be a streaming or a batch read, so options for either are accepted here.
    val settings = SourceOptionsParser.parse(options, ReadKind.Batch)
      .getOrElse(SourceOptionsParser.settings(options, ReadKind.Streaming))
    MetadataServices.check(settings.service, settings.clusters.kafkaProperties)
    warnOfSecrets(settings)
    ChosenStreams.check(settings.selection)
    new DynamicKafkaTable(options, objects(settings))
  }

  /** The columns of a table with these options. Wrong options don't matter here: they are refused. */
  def schema(options: Map[String, String]): StructType = OneCluster.of(options) match {
    case Some(Right(one)) => RowSchema.ofOneCluster(one.cluster.headers, one.cluster.clusterColumns)
    case _                => RowSchema.all
  }

  // Spark prints a reader's options in plans and in its UI, where the source can't hide them.
  private def warnOfSecrets(settings: SourceSettings): Unit = {
    val literal = SecretProperties.literal(settings.clusters.kafkaProperties).map(name => s"kafka.$name") ++
      SecretProperties.literal(settings.service.config).map(name => s"metadataService.$name")
    if (literal.nonEmpty)
      log.warn(
        s"${Condition.InvalidOption} A secret is written out in the option ${literal.mkString(", ")}, and Spark itself " +
          s"prints options. Write $${env:NAME} or $${file:PATH} there, or put it into the metadata."
      )
  }

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

  /** A reader's option replaces the table's, in any spelling of its key. */
  private def merged(table: Map[String, String], reader: Map[String, String]): Map[String, String] = {
    val replaced = reader.keySet.map(_.toLowerCase(java.util.Locale.ROOT))
    table.filterNot { case (key, _) => replaced(key.toLowerCase(java.util.Locale.ROOT)) } ++ reader
  }
}
