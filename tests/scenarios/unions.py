"""Pipelines with a state and without, and queries that run them on Spark's own Kafka source or on ours.

PySpark alone is needed, so that each environment can run it.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, session_window, window
from pyspark.sql.streaming.readwriter import DataStreamReader

PATIENCE = 120
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
COLUMNS = ("cast(value AS string) AS value", "timestamp")
Pipeline = Callable[[DataFrame], DataFrame]


def plain(rows: DataFrame) -> DataFrame:
    return rows.select("value")


def counted(rows: DataFrame) -> DataFrame:
    return rows.groupBy("value").count()


def windowed(rows: DataFrame) -> DataFrame:
    groups = rows.withWatermark("timestamp", "10 seconds").groupBy(window("timestamp", "10 seconds"))
    return groups.count().select(col("window.start").alias("value"), "count")


def sessions(rows: DataFrame) -> DataFrame:
    groups = rows.withWatermark("timestamp", "10 seconds").groupBy(session_window("timestamp", "3 seconds"), "value")
    return groups.count().select(col("session_window.start").alias("value"), "count")


def distinct(rows: DataFrame) -> DataFrame:
    return rows.dropDuplicates(["value"]).select("value")


def distinct_for_a_while(rows: DataFrame) -> DataFrame:
    return rows.withWatermark("timestamp", "1 hour").dropDuplicatesWithinWatermark(["value"]).select("value")


KINDS: list[Pipeline] = [
    plain,
    counted,
    windowed,
    sessions,
    distinct,
    distinct_for_a_while,
]
STORES: dict[str, dict[str, str]] = {
    "in memory": {},
    "rocksdb": {
        "spark.sql.streaming.stateStore.providerClass": ROCKS,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    },
    "rocksdb, format 2": {
        "spark.sql.streaming.stateStore.providerClass": ROCKS,
        "spark.sql.streaming.stateStore.checkpointFormatVersion": "2",
    },
}


class Query:
    """One pipeline, by a union of Spark's own source or by one source of ours. Each run reads what is there.

    ``clusters`` are their addresses by the names of sources, which count if the session names sources (``named``).
    """

    def __init__(
        self,
        spark: SparkSession,
        clusters: Mapping[str, str],
        topic: str,
        pipeline: Pipeline,
        *,
        named: bool = False,
    ) -> None:
        self._spark, self._clusters, self._topic, self._pipeline = (
            spark,
            clusters,
            topic,
            pipeline,
        )
        self._named = named
        self.batches: dict[int, list[Any]] = {}

    def sparks(self, checkpoint: Path) -> None:
        frames = [self._by_spark(name, address) for name, address in self._clusters.items()]
        self._run(reduce(DataFrame.union, frames), checkpoint)

    def ours(self, checkpoint: Path, streams: Path) -> None:
        reader = self._reader("orders").format("dynamic-kafka").option("metadataService", "yaml")
        reader = reader.option("metadataService.path", str(streams)).option("streamIds", "orders")
        # Other tests count the connections of this session.
        rows = reader.option("startingOffsets", "earliest").option("consumerIdleTimeout", "1s").load()
        self._run(rows.selectExpr(*COLUMNS), checkpoint)

    def _by_spark(self, name: str, address: str) -> DataFrame:
        reader = self._reader(name).format("kafka").option("startingOffsets", "earliest")
        reader = reader.option("kafka.bootstrap.servers", address).option("subscribe", self._topic)
        return reader.load().selectExpr(*COLUMNS)

    def _reader(self, name: str) -> DataStreamReader:
        reader = self._spark.readStream
        return reader.name(name) if self._named else reader

    def _run(self, rows: DataFrame, checkpoint: Path) -> None:
        frame = self._pipeline(rows)
        mode = "update" if self._pipeline is counted else "append"
        writer = frame.writeStream.outputMode(mode).option("checkpointLocation", str(checkpoint))
        query = writer.foreachBatch(self._keep).trigger(availableNow=True).start()
        assert query.awaitTermination(PATIENCE)

    def _keep(self, batch: DataFrame, number: int) -> None:
        self.batches[number] = sorted(tuple(row) for row in batch.collect())

    def rows(self) -> list[Any]:
        return sorted(row for batch in self.batches.values() for row in batch)

    def outcome(self) -> Any:
        """What its sink has in the end: all rows, or the last count of each value."""
        return dict(self.rows()) if self._pipeline is counted else self.rows()
