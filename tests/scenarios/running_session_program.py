"""A session that was made without the jar, as platforms and notebooks have it: what does each kind of sink get?

``running_session_program.py STREAMS STREAM_ID FOLDER MASTER`` writes all that the stream holds into each kind of sink.
Its last line is a JSON object: ``sinks``, by sink the values that it got, or how many rows where it keeps none;
``batch``, the rows of a batch read by cluster; ``metrics``, those of a query; and ``failure``, the text of the error
of a read whose tasks fail.
"""

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dynamic_kafka import DynamicKafkaSource, DynamicKafkaSourceBuilder, YamlFileMetadataService, find_error
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from tests.scenarios.queries import value_of
from tests.scenarios.session import session_builder


class Sinks:
    """One query after the other, each into another kind of sink."""

    def __init__(self, rows: DataFrame, folder: Path) -> None:
        self._rows = rows
        self._folder = folder
        self.metrics: dict[str, str] = {}

    def memory(self) -> list[str]:
        self._run("memory", lambda writer: writer.format("memory").queryName("kept"))
        return values(self._rows.sparkSession.table("kept"))

    def foreach_batch(self) -> list[str]:
        seen: list[str] = []
        self._run("batch", lambda writer: writer.foreachBatch(lambda batch, _: seen.extend(values(batch))))
        return sorted(seen)

    def foreach(self) -> list[str]:
        """Each row becomes a file, written by the Python process of an executor."""
        files = self._folder / "each"
        files.mkdir()
        self._run("foreach", lambda writer: writer.foreach(kept_in(str(files))))
        return sorted(path.read_text() for path in files.iterdir())

    def parquet(self) -> list[str]:
        path = str(self._folder / "parquet")
        self._run("files", lambda writer: writer.format("parquet").option("path", path))
        return values(self._rows.sparkSession.read.parquet(path))

    def noop(self) -> int:
        return self._run("noop", lambda writer: writer.format("noop"))

    def console(self) -> int:
        return self._run("console", lambda writer: writer.format("console"))

    def _run(self, name: str, into: Callable[[DataStreamWriter], DataStreamWriter]) -> int:
        """How many rows the query read."""
        writer = self._rows.writeStream.option("checkpointLocation", str(self._folder / f"checkpoint-{name}"))
        query = started_elsewhere(into(writer.trigger(availableNow=True)))
        query.awaitTermination()
        self.metrics = dict(query.recentProgress[-1].sources[0].metrics)
        return sum(progress.numInputRows for progress in query.recentProgress)


def started_elsewhere(writer: DataStreamWriter) -> StreamingQuery:
    """The query, started by another thread of Python than the one that loaded the rows: it has its own in the JVM."""
    queries: list[StreamingQuery] = []
    thread = threading.Thread(target=lambda: queries.append(writer.start()))
    thread.start()
    thread.join()
    return queries[0]


def kept_in(folder: str) -> Callable[[Row], None]:
    def keep(row: Row) -> None:
        # Travels without this module's imports.
        with open(f"{folder}/{row.cluster}-{row.topic}-{row.partition}-{row.offset}", "wb") as file:  # noqa: PTH123
            file.write(row.value)

    return keep


def values(rows: DataFrame) -> list[str]:
    return sorted(map(value_of, rows.collect()))


def failure(builder: DynamicKafkaSourceBuilder) -> str:
    """The text of what a read fails with whose tasks can't open their consumers."""
    try:
        builder.kafka_property("fetch.min.bytes", "many").bounded().load().collect()
    except Exception as failed:
        ours = find_error(failed)
        if ours is None:
            raise
        return str(ours)
    return ""


def main() -> None:
    streams, stream_id, folder, master = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
    spark = session_builder(folder, more={"spark.master": master, "spark.executor.memory": "600m"}).getOrCreate()
    builder = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(streams)).stream_ids(stream_id)
    # Sizes are measured too, which takes further figures of the tasks.
    sinks = Sinks(builder.starting_offsets("earliest").max_bytes_per_trigger(1_000_000).load(), folder)
    kinds = (sinks.memory, sinks.foreach_batch, sinks.foreach, sinks.parquet, sinks.noop, sinks.console)
    found: dict[str, Any] = {"sinks": {kind.__name__: kind() for kind in kinds}, "metrics": sinks.metrics}
    plain = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(streams)).stream_ids(stream_id)
    found["batch"] = {
        row["cluster"]: row["count"] for row in plain.bounded().load().groupBy("cluster").count().collect()
    }
    found["failure"] = failure(plain)
    spark.stop()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
