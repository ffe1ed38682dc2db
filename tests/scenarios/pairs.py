"""The same query by Spark's own Kafka source and by ours, each on a checkpoint of its own."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tests.cluster import KafkaCluster

Options = Mapping[str, Any]
Shape = Callable[[DataFrame], DataFrame]
OURS, SPARKS = "dynamic-kafka", "kafka"
PATIENCE = 90
CHOICES = ["subscribe", "subscribePattern", "assign"]
# Spark's own source waits for what is not there, and asks again for what nobody can answer, for longer than tests need.
HASTY = {"kafkaConsumer.pollTimeoutMs": 15000, "fetchOffset.retryIntervalMs": 1}


def stream_of(cluster: KafkaCluster, topic: str, choice: str = "subscribe", **more: object) -> Options:
    """Options of a query that begins at the earliest offsets."""
    assigned = json.dumps({topic: list(range(5))})
    chosen = {"subscribe": topic, "subscribePattern": f"{topic}.*", "assign": assigned}[choice]
    begin = {"startingOffsets": "earliest"} if not any(key.startswith("starting") for key in more) else {}
    return {"kafka.bootstrap.servers": cluster.bootstrap_servers, choice: chosen, **begin, **more}


def options_of(source: str, options: Options) -> Options:
    """With what makes Spark's own source hasty, and lets ours leave nothing open behind a test."""
    return {**options, **(HASTY if source == SPARKS else {"consumerIdleTimeout": "1s"})}


def found(spark: SparkSession, source: str, options: Options) -> list[Row]:
    """What a batch read has, in one order."""
    return sorted(spark.read.format(source).options(**options_of(source, options)).load().collect(), key=str)


def as_text(rows: DataFrame) -> DataFrame:
    return rows.selectExpr("cast(value AS string) AS value")


class Stream:
    """One query by one source; each run reads what is there, unless another trigger is given."""

    def __init__(
        self, spark: SparkSession, folder: Path, source: str, options: Options, shape: Shape = as_text
    ) -> None:
        self._spark, self._options, self._shape = spark, options, shape
        self.source = source
        self.checkpoint = folder / source
        self.batches: dict[int, list[Any]] = {}
        # Called with each batch and its number before it is read.
        self.before: Callable[[DataFrame, int], object] = lambda _, __: None
        self._query: StreamingQuery | None = None

    @property
    def query(self) -> StreamingQuery:
        assert self._query is not None, "it was not started"
        return self._query

    def begin(self, **trigger: Any) -> None:
        rows = self._spark.readStream.format(self.source).options(**options_of(self.source, self._options)).load()
        writer = self._shape(rows).writeStream.option("checkpointLocation", str(self.checkpoint))
        self._query = writer.foreachBatch(self._keep).trigger(**(trigger or {"availableNow": True})).start()

    def end(self) -> None:
        assert self.query.awaitTermination(PATIENCE)

    def run(self, **trigger: Any) -> None:
        self.begin(**trigger)
        self.end()

    def read_all(self) -> None:
        """A run that goes on until it has read what is there, and what comes meanwhile."""
        self.begin(processingTime="0 seconds")
        try:
            self.query.processAllAvailable()
        finally:
            self.query.stop()

    def failure(self) -> str:
        """What a run fails with."""
        with pytest.raises(StreamingQueryException) as failed:
            self.end()
        return str(failed.value)

    def _keep(self, batch: DataFrame, number: int) -> None:
        self.before(batch, number)
        self.batches[number] = sorted((tuple(row) for row in batch.collect()), key=str)

    def rows(self) -> list[Any]:
        return sorted((row for batch in self.batches.values() for row in batch), key=str)

    def values(self) -> list[str]:
        return [value for (value,) in self.rows()]


class Pair:
    """One query by both sources, which run at the same time."""

    def __init__(self, spark: SparkSession, folder: Path, options: Options, shape: Shape = as_text) -> None:
        self.ours = Stream(spark, folder, OURS, options, shape)
        self.sparks = Stream(spark, folder, SPARKS, options, shape)

    @property
    def both(self) -> tuple[Stream, Stream]:
        return self.ours, self.sparks

    def begin(self) -> None:
        for one in self.both:
            one.begin()

    def end(self) -> None:
        for one in self.both:
            one.end()

    def run(self) -> None:
        self.begin()
        self.end()

    def values(self) -> list[str]:
        """What both have read."""
        assert self.ours.values() == self.sparks.values()
        return self.ours.values()

    def batches(self) -> list[list[str]]:
        """The values of each batch, the same with both."""
        ours, sparks = ([[value for (value,) in one.batches[n]] for n in sorted(one.batches)] for one in self.both)
        assert ours == sparks
        return ours
