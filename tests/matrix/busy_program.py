"""Two queries on busy clusters, each started again when it ends: nothing here is of the tests.

``busy_program.py JSON``. The object has ``streams`` and ``stream``, a ``folder``, and ``expected``, a file that comes
when nothing is written any more and holds how many records there are. One query writes into the Delta table `single`;
the other one into `first` and `second`, by an action for each. The program ends when all three have as many rows as are
expected. It leaves the rows of each as `<table>.jsonl`, when the second query had written its batches as
`batches.jsonl`, and what queries ended with as `ends.jsonl`.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService, configure_spark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr, lit, unix_millis
from pyspark.sql.streaming.query import StreamingQuery

given = json.loads(sys.argv[1])
folder = Path(given["folder"])
# Milliseconds that each row costs the sinks, so that batches are long; and bytes of a fetch, so that a task that is
# under way has not fetched all of its range yet.
COST, FETCH = 1, 1000


def rows(spark: SparkSession) -> DataFrame:
    service = YamlFileMetadataService(given["streams"])
    builder = DynamicKafkaSource.builder(spark).metadata_service(service).stream_ids(given["stream"])
    builder.starting_offsets("earliest").unavailable_cluster_policy("skip").unreadable_range_policy("defer")
    for limit in ("max.partition.fetch.bytes", "fetch.max.bytes"):
        builder.kafka_property(limit, FETCH)
    costly = expr(f"reflect('java.lang.Thread', 'sleep', bigint({COST})) IS NOT NULL")
    return builder.load().where(costly).selectExpr("cast(value as string) AS id", "cluster", "timestamp")


def single(spark: SparkSession) -> StreamingQuery:
    writer = rows(spark).writeStream.queryName("single").option("checkpointLocation", str(folder / "checkpoint-single"))
    return writer.trigger(processingTime="200 milliseconds").format("delta").start(str(folder / "single"))


def double(spark: SparkSession) -> StreamingQuery:
    def write(frame: DataFrame, batch: int) -> None:
        for table in ("first", "second"):
            written = frame.withColumn("batch", lit(batch)).write.format("delta").mode("append")
            written.option("txnAppId", table).option("txnVersion", batch).save(str(folder / table))
        note("batches.jsonl", batch=batch)

    writer = rows(spark).writeStream.queryName("double").option("checkpointLocation", str(folder / "checkpoint-double"))
    return writer.trigger(processingTime="200 milliseconds").foreachBatch(write).start()


def note(name: str, **fields: Any) -> None:
    with (folder / name).open("a") as lines:
        lines.write(json.dumps({"at": time.time(), **fields}) + "\n")


def complete(expected: int) -> bool:
    return all(session.read.format("delta").load(str(folder / table)).count() >= expected for table in TABLES)


def all_is_read() -> bool:
    file = folder / given["expected"]
    return file.exists() and complete(int(file.read_text()))


TABLES = ("single", "first", "second")
session = configure_spark(SparkSession.builder).getOrCreate()
starts: dict[str, Callable[[SparkSession], StreamingQuery]] = {"single": single, "double": double}
running = {name: start(session) for name, start in starts.items()}
while not all_is_read():
    time.sleep(1)  # the pause between two looks
    for name, query in running.items():
        if not query.isActive:
            note("ends.jsonl", query=name, text=str(query.exception())[:3000])
            running[name] = starts[name](session)
for query in running.values():
    query.stop()
for table in TABLES:
    found = session.read.format("delta").load(str(folder / table)).withColumn("timestamp", unix_millis("timestamp"))
    with (folder / f"{table}.jsonl").open("w") as lines:
        lines.writelines(f"{row}\n" for row in found.toJSON().toLocalIterator())
