"""A table that grows by what comes in on all clusters of the stream."""

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService
from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession


@dp.table
def orders() -> DataFrame:
    source = DynamicKafkaSource.builder(SparkSession.active()).metadata_service(YamlFileMetadataService("streams.yaml"))
    rows = source.stream_ids("orders").starting_offsets("earliest").load()
    return rows.selectExpr("cluster", "topic", "partition", "offset", "timestamp", "CAST(value AS STRING) AS value")
