package io.github.dynamickafka.spark.spark;

import java.util.Map;

import org.apache.spark.sql.connector.catalog.SessionConfigSupport;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The class that Spark finds by the format's name. Options are checked when the table is made, that is, at {@code load()}.
 *
 * <p>In Java, so that it loads where Scala has another version, and can refuse a Spark that is too old.
 */
public final class DynamicKafkaProvider implements DataSourceRegister, SessionConfigSupport {
  private static final String FORMAT = "dynamic-kafka";

  @Override
  public String shortName() {
    return FORMAT;
  }

  @Override
  public String keyPrefix() {
    return FORMAT;
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    SparkVersion.check();
    return DynamicKafkaTable.schemaOf(options.asCaseSensitiveMap());
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return DynamicKafkaTable.of(properties);
  }
}
