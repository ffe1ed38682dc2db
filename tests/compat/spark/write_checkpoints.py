"""Has one version of Spark write checkpoints with its own Kafka source. It needs PySpark of that version, and nothing
else.

``write_checkpoints.py FOLDER ADDRESS ADDRESS ADDRESS`` reads the topics `orders` and `refunds` of three clusters and
leaves one checkpoint for each kind of query that this version knows, as ``FOLDER/<kind>``. `PYSPARK_SUBMIT_ARGS` brings
the source.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import pyspark
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812, its usual name

VERSION = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
EVOLUTION = "spark.sql.streaming.queryEvolution.enableSourceEvolution"
SINKS = "spark.sql.streaming.queryEvolution.enableSinkEvolution"
OFFSET_LOG = "spark.sql.streaming.offsetLog.formatVersion"
STATE_FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
NOTHING: Mapping[str, str] = {}


class Writer:
    """The queries, one after the other, each with a checkpoint of its own."""

    def __init__(self, spark: SparkSession, folder: Path, addresses: list[str]) -> None:
        self.spark = spark
        self.addresses = addresses
        self._folder = folder

    def read(self, cluster: int, topics: str = "orders", name: str = "", **options: str) -> DataFrame:
        reader = self.spark.readStream.format("kafka").option("kafka.bootstrap.servers", self.addresses[cluster])
        reader = reader.option("startingOffsets", "earliest").options(**options)
        if "subscribePattern" not in options:
            reader = reader.option("subscribe", topics)
        return (reader.name(name) if name else reader).load()

    def union(self, **options: str) -> DataFrame:
        return reduce(DataFrame.union, [self.read(cluster, **options) for cluster in range(3)])

    def run(
        self,
        kind: str,
        make: Callable[[], DataFrame],
        *,
        fails_at: int | None = None,
        conf: Mapping[str, str] = NOTHING,
        sink: str = "",
    ) -> None:
        """Batches until all is read, or until the one that fails."""
        before = {key: self.spark.conf.get(key, None) for key in conf}
        for key, value in conf.items():
            self.spark.conf.set(key, value)

        def keep(batch: DataFrame, number: int) -> None:
            batch.count()
            if number == fails_at:
                raise RuntimeError("this batch fails")

        checkpoint = self._folder / kind
        try:
            writer = make().writeStream.option("checkpointLocation", str(checkpoint)).foreachBatch(keep)
            if sink:
                writer._jwrite.name(sink)  # Scala alone can name a sink
            writer = writer.outputMode("append")
            writer.trigger(availableNow=True).start().awaitTermination()
        except StreamingQueryException:
            if fails_at is None:
                raise
        finally:
            for key, old in before.items():
                self.spark.conf.unset(key) if old is None else self.spark.conf.set(key, old)
        _tidy(checkpoint)
        print(f"{pyspark.__version__} {kind}", flush=True)

    def run_with_gaps(self, kind: str) -> None:
        """A query that logs its progress beside its batches, and not for each of them; stopped when all is read."""
        checkpoint = self._folder / kind
        writer = self.read(0, maxOffsetsPerTrigger="1").writeStream.format("noop")
        writer = writer.option("checkpointLocation", str(checkpoint)).option("asyncProgressTrackingEnabled", "true")
        writer = writer.option("asyncProgressTrackingCheckpointIntervalMs", "700")
        query = writer.trigger(processingTime="300 milliseconds").start()
        query.processAllAvailable()
        query.stop()
        _tidy(checkpoint)
        print(f"{pyspark.__version__} {kind}", flush=True)


def _tidy(checkpoint: Path) -> None:
    """Without checksums, which nobody reads, and without the state, as far as Spark says elsewhere what it is of."""
    for path in checkpoint.rglob(".*.crc"):
        path.unlink()
    for operator in checkpoint.glob("state/*"):
        if (operator / "_metadata").is_dir():
            for path in operator.glob("[0-9]*"):
                shutil.rmtree(path)


def kinds(writer: Writer) -> dict[str, dict[str, Any]]:
    """By name, what ``Writer.run`` takes."""
    few = {"maxOffsetsPerTrigger": "6"}
    read, union = writer.read, writer.union

    def counted(rows: DataFrame) -> DataFrame:
        return rows.withWatermark("timestamp", "1 minute").groupBy(F.window("timestamp", "1 minute")).count()

    found: dict[str, dict[str, Any]] = {
        "single": {"make": lambda: read(0, "orders,refunds", **few)},
        "union": {"make": lambda: union(**few)},
        "state": {"make": lambda: counted(read(0, **few))},
        "logged": {"make": lambda: union(**few), "fails_at": 1},
        "never-committed": {"make": lambda: read(0, **few), "fails_at": 0},
        "no-partitions": {"make": lambda: read(0).union(read(1, subscribePattern="none-.*"))},
        "other-sources": {"make": lambda: read(0, **few).select("value").union(_lines(writer.spark, writer))},
    }
    if VERSION >= (4, 0):
        conf = {STATE_FORMAT: "2", PROVIDER: ROCKS}
        found["commit-v2"] = {"make": lambda: counted(read(0, **few)), "conf": conf}
    if VERSION >= (4, 2):
        named = ["eu", "us_1", "us_2"]
        found["offsets-v2"] = {"make": lambda: union(**few), "conf": {OFFSET_LOG: "2"}}
        found["named"] = {
            "make": lambda: reduce(
                DataFrame.union, [read(cluster, "orders", name, **few) for cluster, name in enumerate(named)]
            ),
            "conf": {EVOLUTION: "true"},
        }
        found["commit-v3"] = {"make": lambda: read(0, **few), "conf": {SINKS: "true"}, "sink": "table"}
    return found


def _lines(spark: SparkSession, writer: Writer) -> DataFrame:
    folder = writer._folder / "lines"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "one.txt").write_text("one\n")
    return spark.readStream.format("text").load(str(folder)).select(F.col("value").cast("binary"))


def main() -> None:
    folder, addresses = Path(sys.argv[1]), sys.argv[2:]
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    writer = Writer(spark, folder, addresses)
    only = set(filter(None, os.environ.get("KINDS", "").split(",")))
    failed = {}
    if not only or "gaps" in only:
        writer.run_with_gaps("gaps")
    for kind, how in kinds(writer).items():
        if only and kind not in only:
            continue
        try:
            writer.run(kind, **how)
        except Exception as failure:
            failed[kind] = str(failure)[:2000]
    shutil.rmtree(folder / "lines", ignore_errors=True)
    spark.stop()
    if failed:
        sys.exit(json.dumps(failed, indent=1))


if __name__ == "__main__":
    main()
