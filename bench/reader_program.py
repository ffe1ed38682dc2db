"""A reader in its own process, so that two jars can be compared: ``reader_program.py JAR FOLDER``.

Each line of its input is JSON. A list of what to read, as ``Listed``, starts a query under ``skip`` and ``defer`` that
runs one trigger after the other; ``null`` stops it. Events are appended to `said.jsonl` in the folder, one JSON list a
line: ``["begun"]`` when the query's function has got a batch, ``["rows", arrival, [[cluster, number, ms], ...]]``,
``["trigger", began, durations]`` of each trigger once the query has stopped, ``["stopped"]``, or ``["failed", text]``.
"""

import itertools
import json
import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from dynamic_kafka import DynamicKafkaSource, InMemoryMetadataService, KafkaStream
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from tests.scenarios.session import QUIET, log4j

from bench.sources import STREAM, Listed

# What the query's function does before it reads a batch, and after it, takes so many seconds each.
_WORK = 0.5


class Diary:
    """Writes the events, line by line, from any thread."""

    def __init__(self, path: Path) -> None:
        self._lines = path.open("a")
        self._turn = threading.Lock()

    def tell(self, *said: Any) -> None:
        with self._turn:
            self._lines.write(json.dumps(said) + "\n")
            self._lines.flush()


def main() -> None:
    jar, folder = sys.argv[1], Path(sys.argv[2])
    spark = _session(jar, folder)
    diary = Diary(folder / "said.jsonl")
    query: StreamingQuery | None = None
    numbers = itertools.count()
    for line in sys.stdin:
        order = json.loads(line)
        if order is not None:
            query = _start(spark, [Listed(*one) for one in order], folder / f"checkpoint-{next(numbers)}", diary)
        elif query is not None:
            _stop(query, diary)


def _start(spark: SparkSession, listed: list[Listed], checkpoint: Path, diary: Diary) -> StreamingQuery:
    service = InMemoryMetadataService([KafkaStream(STREAM, {one.cluster_id: one.cluster() for one in listed})])
    builder = DynamicKafkaSource.builder(spark).metadata_service(service).stream_ids(STREAM)
    builder.starting_offsets("earliest").unavailable_cluster_policy("skip").unreadable_range_policy("defer")
    # Number and milliseconds, as the writer set them.
    rows = builder.load().selectExpr(
        "cluster", "cast(trim(cast(value as string)) as long) as number", "unix_millis(timestamp) as at"
    )

    def note(batch: DataFrame, _: int) -> None:
        diary.tell("begun")
        _work()
        found = [list(row) for row in batch.collect()]
        diary.tell("rows", time.time(), found)
        _work()

    writer = rows.writeStream.foreachBatch(note).option("checkpointLocation", str(checkpoint))
    return writer.trigger(processingTime="0 seconds").start()


def _work() -> None:
    threading.Event().wait(_WORK)


def _stop(query: StreamingQuery, diary: Diary) -> None:
    failure = query.exception()
    query.stop()
    for progress in query.recentProgress:
        began = datetime.fromisoformat(progress.timestamp).timestamp()
        diary.tell("trigger", began, dict(progress.durationMs))
    diary.tell("stopped") if failure is None else diary.tell("failed", str(failure)[:2000])


def _session(jar: str, folder: Path) -> SparkSession:
    options = {
        **QUIET,
        "spark.jars": jar,
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": log4j(folder / "spark.log"),
        # Keeps all triggers of a query, to read them when it has ended.
        "spark.sql.streaming.numRecentProgressUpdates": "100000",
        "spark.sql.streaming.noDataProgressEventInterval": "100ms",
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
    }
    builder = SparkSession.builder.master("local[2]").appName("bench-sick")
    for key, value in options.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


if __name__ == "__main__":
    main()
