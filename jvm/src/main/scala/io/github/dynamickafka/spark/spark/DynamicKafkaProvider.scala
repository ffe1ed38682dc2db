package io.github.dynamickafka.spark.spark

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.dynamickafka.spark.DynamicKafkaSource

/** The class that Spark finds by the format's name. Options are checked when the table is made, that is, at `load()`.
  */
final class DynamicKafkaProvider extends TableProvider with DataSourceRegister with SessionConfigSupport {
  override def shortName(): String = DynamicKafkaSource.Format

  override def keyPrefix: String = DynamicKafkaSource.Format

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    DynamicKafkaTable.schema(options.asCaseSensitiveMap.asScala.toMap)

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = DynamicKafkaTable.of(properties.asScala.toMap)
}
