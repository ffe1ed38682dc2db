package example

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.Trigger

import io.github.dynamickafka.spark.{DynamicKafkaSource, YamlFileMetadataService}

/** Appends the orders that came since the last run to files, and ends. A scheduler starts it every hour. */
object OrdersToFiles {
  def main(arguments: Array[String]): Unit = {
    val streams = arguments.headOption.getOrElse("streams.yaml")
    val spark   = SparkSession.builder().appName("orders").getOrCreate()

    val orders = DynamicKafkaSource
      .builder(spark)
      .metadataService(new YamlFileMetadataService(streams))
      .streamIds("orders")
      .startingOffsets("earliest")
      .load()

    val query = orders
      .selectExpr("cluster", "topic", "partition", "offset", "cast(value AS string) AS value")
      .writeStream
      .format("json")
      .option("path", "orders")
      .option("checkpointLocation", "orders-checkpoint")
      .trigger(Trigger.AvailableNow())
      .start()

    query.awaitTermination()
    spark.stop()
  }
}
