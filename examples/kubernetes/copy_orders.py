"""The stream `orders`, as JSON files: ``copy_orders.py STREAMS CHECKPOINT ROWS``."""

import sys

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService, configure_spark
from pyspark.sql import SparkSession

streams, checkpoint, rows = sys.argv[1:]
spark = configure_spark(SparkSession.builder.appName("orders"), monitoring=True).getOrCreate()
orders = (
    DynamicKafkaSource.builder(spark)
    .metadata_service(YamlFileMetadataService(streams))
    .stream_ids("orders")
    .starting_offsets("earliest")
    .load()
)
values = orders.selectExpr("CAST(value AS STRING) AS value", "cluster", "topic", "partition", "offset")
query = values.writeStream.format("json").option("checkpointLocation", checkpoint).start(rows)
query.awaitTermination()
