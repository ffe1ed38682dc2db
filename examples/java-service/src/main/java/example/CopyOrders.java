package example;

import io.github.dynamickafka.spark.DynamicKafkaSource;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;

/** Appends the orders that came since the last run to files, and ends. A scheduler starts it every hour. */
public final class CopyOrders {
  private CopyOrders() {}

  public static void main(String[] arguments) throws Exception {
    SparkSession spark = SparkSession.builder().appName("orders").getOrCreate();

    Dataset<Row> orders =
        DynamicKafkaSource.builder(spark)
            .metadataService(ClusterFolder.class.getName(), Map.of("folder", "clusters"))
            .streamIds("orders")
            .startingOffsets("earliest")
            .load();

    orders
        .selectExpr("cluster", "topic", "partition", "offset", "cast(value AS string) AS value")
        .writeStream()
        .format("json")
        .option("path", "orders")
        .option("checkpointLocation", "orders-checkpoint")
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination();
    spark.stop();
  }
}
