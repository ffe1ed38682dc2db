"""Writes the stream `orders` to files, from all clusters that the registry lists."""

import sqlite3
from contextlib import closing
from pathlib import Path

from dynamic_kafka import DynamicKafkaSource, configure_spark
from pyspark.sql import SparkSession
from registry import Registry

DATABASE = Path("registry.db")

if not DATABASE.exists():
    with closing(sqlite3.connect(DATABASE)) as connection:
        connection.executescript(Path("registry.sql").read_text())

spark = configure_spark(SparkSession.builder.appName("orders")).getOrCreate()

orders = (
    DynamicKafkaSource.builder(spark)
    .metadata_service(Registry(DATABASE))
    .stream_ids("orders")
    .starting_offsets("earliest")
    .metadata_discovery_interval("1s")
    .load()
)

query = (
    orders.selectExpr("cluster", "topic", "partition", "offset", "cast(value AS string) AS value")
    .writeStream.format("json")
    .option("path", "orders")
    .option("checkpointLocation", "orders-checkpoint")
    .start()
)
query.awaitTermination()
