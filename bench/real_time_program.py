"""A session of its own for queries in Real-Time Mode, from Kafka to Kafka: ``real_time_program.py JAR FOLDER SLOTS``.
The source is asked for its rows as they are, or a stateful operator follows it, which needs Spark 4.3.

Each line of its input is a JSON object, and each gets one line of JSON as its answer. ``{"start": ...}`` starts a
query, as `Live` says; ``{"list": [...]}`` gives the metadata service these; ``{"requests": 0}`` asks how many requests
its Kafka clients have sent; ``{"stop": 0}`` stops the query.
"""

import itertools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynamic_kafka import DynamicKafkaSource, InMemoryMetadataService, KafkaStream
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.session import QUIET, log4j
from tests.scenarios.spark_kafka import kafka_jars

from bench.sources import OURS, STREAM, Listed

_ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


@dataclass(frozen=True, slots=True)
class Live:
    """What a query reads, by which source, and where it writes the values. ``every`` is the length of a batch, and
    ``work`` a name in `WORK`."""

    source: str
    listed: Sequence[Sequence[Any]]
    address: str
    topic: str
    every: str
    work: str


ROWS, DISTINCT, COUNT = "rows", "deduplication", "count"
# What a query does with its rows. Each value is written once, so each gives one row.
WORK: Mapping[str, Callable[[DataFrame], DataFrame]] = {
    ROWS: lambda rows: rows.selectExpr("value"),
    DISTINCT: lambda rows: rows.selectExpr("value").dropDuplicates(["value"]),
    COUNT: lambda rows: rows.groupBy("value").count().selectExpr("value"),
}


class Session:
    """Spark, and the one query that runs."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark = spark
        self._folder = folder
        self._numbers = itertools.count()
        self._service = InMemoryMetadataService()
        self._query: StreamingQuery

    def start(self, order: Any) -> None:
        live = Live(**order)
        listed = [Listed(*one) for one in live.listed]
        rows = self._ours(listed) if live.source == OURS else self._sparks(listed)
        writer = WORK[live.work](rows).writeStream.format("kafka").outputMode("update")
        writer = writer.option("kafka.bootstrap.servers", live.address).option("topic", live.topic)
        writer = writer.option("checkpointLocation", str(self._folder / f"checkpoint-{next(self._numbers)}"))
        trigger: dict[str, Any] = {"realTime": live.every}
        self._query = writer.trigger(**trigger).start()

    def list(self, listed: Sequence[Sequence[Any]]) -> None:
        clusters = [Listed(*one) for one in listed]
        self._service.put(KafkaStream(STREAM, {one.cluster_id: one.cluster() for one in clusters}))

    def requests(self, _: object) -> dict[str, float]:
        return DriverJvm(self._spark).requests()

    def stop(self, _: object) -> None:
        failure = self._query.exception()
        if failure is not None:
            raise failure
        self._query.stop()

    def _ours(self, listed: Sequence[Listed]) -> DataFrame:
        self._service = InMemoryMetadataService(
            [KafkaStream(STREAM, {one.cluster_id: one.cluster() for one in listed})]
        )
        builder = DynamicKafkaSource.builder(self._spark).metadata_service(self._service).stream_ids(STREAM)
        builder.unavailable_cluster_policy("skip").metadata_discovery_interval("1s")
        return builder.starting_offsets("earliest").load()

    def _sparks(self, listed: Sequence[Listed]) -> DataFrame:
        (one,) = listed
        reader = self._spark.readStream.format("kafka").option("kafka.bootstrap.servers", one.address)
        return reader.option("subscribe", one.topic).option("startingOffsets", "earliest").load()


def main() -> None:
    jar, folder, slots = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    session = Session(_spark(jar, folder, slots), folder)
    for line in sys.stdin:
        ((order, given),) = json.loads(line).items()
        try:
            answer = {"answer": getattr(session, order)(given)}
        except Exception as failure:
            answer = {"failed": str(failure)[:2000]}
        print(json.dumps(answer), flush=True)


def _spark(jar: str, folder: Path, slots: str) -> SparkSession:
    options = {
        **QUIET,
        "spark.jars": f"{jar},{kafka_jars()}",
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": log4j(folder / "spark.log", "warn"),
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.stateStore.providerClass": _ROCKS_DB,
    }
    builder = SparkSession.builder.master(f"local[{slots}]").appName("bench-real-time")
    for key, value in options.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


if __name__ == "__main__":
    main()
