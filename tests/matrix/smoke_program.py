"""What a user's program does in its life, in small: nothing here is of the tests, so that any environment can run it.

``smoke_program.py FOLDER LISTINGS MASTER SESSION`` finds in the JSON file ``LISTINGS`` the texts of three streams
files: ``one`` cluster, ``both`` of them, and ``other``, the second one alone. The stream is `orders`. ``SESSION`` is
``configured``, or ``running``: a session that was made without the jar. It prints a JSON object in its last line: what
each part read, as a list of values, and the versions that it ran on.
"""

import json
import platform
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyspark
from dynamic_kafka import (
    ClusterMetadata,
    DynamicKafkaSource,
    DynamicKafkaSourceBuilder,
    InMemoryMetadataService,
    KafkaStream,
    MetadataService,
    YamlFileMetadataService,
    configure_spark,
)
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

_PATIENCE = 90

folder = Path(sys.argv[1])
listings = json.loads(Path(sys.argv[2]).read_text())
rows: list[str] = []


def main() -> None:
    builder = SparkSession.builder.master(sys.argv[3]).config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.executor.memory", "600m")
    spark = (configure_spark(builder) if sys.argv[4] == "configured" else builder).getOrCreate()
    jvm = spark._jvm
    assert jvm is not None
    found: dict[str, object] = {
        "followed": followed(spark),
        "restarted": restarted(spark),
        "batch": values(source(spark, file()).bounded().load()),
        "python service": values(source(spark, service()).bounded().load()),
        "counted": counted(spark),
        "into parquet": into_parquet(spark),
        "in real time": in_real_time(spark),
        "versions": [
            pyspark.__version__,
            jvm.java.lang.System.getProperty("java.specification.version"),
            ".".join(platform.python_version_tuple()[:2]),
        ],
    }
    spark.stop()
    print(json.dumps(found))


def source(spark: SparkSession, where: MetadataService | YamlFileMetadataService) -> DynamicKafkaSourceBuilder:
    return DynamicKafkaSource.builder(spark).metadata_service(where).stream_ids("orders")


def file() -> YamlFileMetadataService:
    return YamlFileMetadataService(folder / "streams.yaml")


def service() -> MetadataService:
    """The same two clusters, listed by Python."""
    clusters = {
        name: ClusterMetadata(listed["topics"], bootstrap_servers=listed["bootstrap"])
        for name, listed in listings["clusters"].items()
    }
    return InMemoryMetadataService([KafkaStream("orders", clusters)])


def publish(listing: str) -> None:
    draft = folder / "streams.new"
    draft.write_text(listings[listing])
    draft.replace(folder / "streams.yaml")


def followed(spark: SparkSession) -> list[str]:
    """A query that runs sees a cluster come."""
    publish("one")
    query = begun(spark)
    until(query, lambda: len(rows) >= listings["sizes"]["one"])
    publish("both")
    until(query, lambda: len(rows) >= listings["sizes"]["both"])
    query.stop()
    return sorted(rows)


def restarted(spark: SparkSession) -> list[str]:
    """From its checkpoint the query reads nothing twice, and sees that a cluster went and returned."""
    query = begun(spark)
    # What the first fetch finds is no change.
    until(query, lambda: query.lastProgress is not None)
    for listing, change in (("other", "vanished=a"), ("both", "appeared=a")):
        publish(listing)
        until(query, partial(has_changed, query, change))
    query.processAllAvailable()
    query.stop()
    return sorted(rows)


def begun(spark: SparkSession) -> StreamingQuery:
    stream = source(spark, file()).starting_offsets("earliest").metadata_discovery_interval("300ms").load()
    writer = stream.writeStream.option("checkpointLocation", str(folder / "checkpoint")).foreachBatch(keep)
    return writer.trigger(processingTime="200 milliseconds").start()


def keep(batch: DataFrame, _: int) -> None:
    rows.extend(values(batch))


def values(frame: DataFrame) -> list[str]:
    return sorted(bytes(row.value).decode() for row in frame.select("value").collect())


def counted(spark: SparkSession) -> dict[str, int]:
    """By Spark's SQL, from a table, and by a function of Python's that executors run."""
    spark.udf.register("upper_case", str.upper)
    table = f"metadataService 'yaml', metadataService.path '{folder / 'streams.yaml'}', streamIds 'orders'"
    spark.sql(f"CREATE TEMPORARY VIEW orders USING `dynamic-kafka` OPTIONS ({table})")
    found = spark.sql("SELECT upper_case(cluster) AS cluster, count(*) AS n FROM orders GROUP BY 1").collect()
    return {row.cluster: row.n for row in found}


def into_parquet(spark: SparkSession) -> list[str]:
    """All there is, at once, into files."""
    stream = source(spark, file()).starting_offsets("earliest").load().writeStream.format("parquet")
    stream = stream.option("path", str(folder / "files")).option("checkpointLocation", str(folder / "once"))
    stream.trigger(availableNow=True).start().awaitTermination()
    return values(spark.read.parquet(str(folder / "files")))


def in_real_time(spark: SparkSession) -> list[str] | str:
    """All rows, or why this Spark has no such trigger. Spark gathers rows for Python: they come with a batch's end."""
    if pyspark.__version__ < "4.2":
        return "no such trigger"
    live = folder / "live.txt"

    def keep_line(row: Row) -> None:
        with live.open("a") as lines:
            lines.write(f"{bytes(row.value).decode()}\n")

    def came() -> list[str]:
        return sorted(live.read_text().split()) if live.exists() else []

    stream = source(spark, file()).starting_offsets("earliest").load().select("value")
    writer = stream.writeStream.outputMode("update").option("checkpointLocation", str(folder / "real-time"))
    often: dict[str, Any] = {"realTime": "5 seconds"}
    try:
        query = writer.foreach(keep_line).trigger(**often).start()
        until(query, lambda: len(came()) >= listings["sizes"]["both"])
    except StreamingQueryException as refused:
        return str(refused)
    query.stop()
    return came()


def has_changed(query: StreamingQuery, change: str) -> bool:
    """Whether this was the last change of the topology that the query followed."""
    progress = query.lastProgress
    return progress is not None and change in progress.sources[0].metrics.get("lastTopologyChange", "")


def until(query: StreamingQuery, done: Callable[[], bool]) -> None:
    """Waits for it; raises what the query failed with."""
    end = time.monotonic() + _PATIENCE
    while not done():
        query.awaitTermination(1)
        if time.monotonic() > end:
            raise TimeoutError(f"not within {_PATIENCE} s; {len(rows)} rows, {query.lastProgress}")


if __name__ == "__main__":
    main()
