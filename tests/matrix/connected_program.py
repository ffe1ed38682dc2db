"""An application that reaches Spark over Connect: nothing here is of the tests.

``connected_program.py REMOTE STREAMS STREAM_ID FOLDER`` reads the stream in a batch and by a query, and prints a JSON
object in its last line: ``batch`` and ``query``, the values that came, ``clusters``, those of the query's progress,
``refused``, the condition of the error for a metadata service of this process, and ``wrong``, what the error for a
wrong option says of its field.
"""

import json
import sys

from dynamic_kafka import (
    DynamicKafkaError,
    DynamicKafkaSource,
    DynamicKafkaSourceBuilder,
    InMemoryMetadataService,
    MetadataService,
    YamlFileMetadataService,
    configure_spark,
    progress,
)
from pyspark.sql import DataFrame, SparkSession

remote, streams, stream_id, folder = sys.argv[1:]
spark = configure_spark(SparkSession.builder.remote(remote)).getOrCreate()


def source(service: MetadataService | YamlFileMetadataService) -> DynamicKafkaSourceBuilder:
    return DynamicKafkaSource.builder(spark).metadata_service(service).stream_ids(stream_id)


def values(frame: DataFrame) -> list[str]:
    return sorted(bytes(row.value).decode() for row in frame.select("value").collect())


def by_query() -> tuple[list[str], list[str]]:
    rows = source(YamlFileMetadataService(streams)).starting_offsets("earliest").load()
    writer = rows.writeStream.format("parquet").option("path", f"{folder}/files")
    query = writer.option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True).start()
    query.awaitTermination()
    return values(spark.read.parquet(f"{folder}/files")), progress(query).clusters


def refused() -> str:
    try:
        source(InMemoryMetadataService()).load()
    except DynamicKafkaError as error:
        return error.condition
    return "none"


def wrong() -> str | None:
    try:
        source(YamlFileMetadataService(streams)).option("maxOffsetsPerTrigger", "many").load()
    except DynamicKafkaError as error:
        return error.option
    return "none"


batch = values(source(YamlFileMetadataService(streams)).bounded().load())
queried, clusters = by_query()
print(json.dumps({"batch": batch, "query": queried, "clusters": clusters, "refused": refused(), "wrong": wrong()}))
