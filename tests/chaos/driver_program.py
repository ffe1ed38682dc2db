"""The driver of a run, to be killed: one query into a table of files, or in Real-Time Mode into a topic, started again
whenever it ends.

``driver_program.py ORDER NUMBER`` reads its ``Order``, as JSON, and runs until it is killed; it is the driver of this
number. Each start of the query has settings of its own.
"""

import contextlib
import itertools
import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

from dynamic_kafka import (
    DynamicKafkaError,
    DynamicKafkaSource,
    MetadataService,
    YamlFileMetadataService,
    find_error,
)
from dynamic_kafka.errors import DataLossError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tests.chaos.driver import lines_of
from tests.chaos.order import Order
from tests.chaos.service import FileReader
from tests.chaos.settings import ON_CALL, Settings, accepts_loss, live_settings, settings, without_failing
from tests.scenarios.batch_logs import BatchLogs
from tests.scenarios.session import start_spark
from tests.scenarios.spark_kafka import kafka_jars

# How often the query is looked at, and how long a start waits after a failure, as a supervisor would have it; seconds.
_LOOK, _PAUSE = 0.2, 0.5


def main() -> None:
    order, number = Order.read(Path(sys.argv[1])), sys.argv[2]
    spark = start_spark(order.folder / f"spark-{number}", more=order.session)
    for jar in kafka_jars().split(",") if order.sink else ():
        spark.sql(f"ADD JAR '{jar}'")
    service = FileReader(order.streams, order.trouble) if order.python else YamlFileMetadataService(order.streams)
    ended: set[str] = set()
    for turn in itertools.count(1):
        start = f"{number}.{turn}"
        chosen = ON_CALL if order.on_call else (live_settings if order.sink else settings)(order.seed, start)
        if order.cuts and (DataLossError.condition in ended or accepts_loss(order.seed, start)):
            chosen = without_failing(chosen)
        ended.add(once(spark, service, order, chosen))


def once(
    spark: SparkSession, service: MetadataService | YamlFileMetadataService, order: Order, chosen: Settings
) -> str:
    """Starts the query and returns when it has ended, however it did: the condition of its failure, or nothing."""
    committed = BatchLogs(order.checkpoint).numbers("commits")[-1:] or [-1]
    note(order.starts, settings=str(chosen), committed=committed[0])
    try:
        watch(start(spark, service, order, chosen), order)
    except (PySparkException, DynamicKafkaError) as failure:
        ours = failure if isinstance(failure, DynamicKafkaError) else find_error(failure)
        condition = "other" if ours is None else ours.condition
        note(
            order.endings,
            condition=condition,
            policy=chosen.options["unavailableClusterPolicy"],
            text=str(ours or failure)[:4000],
        )
        threading.Event().wait(_PAUSE)
        return condition
    return ""


def start(
    spark: SparkSession, service: MetadataService | YamlFileMetadataService, order: Order, chosen: Settings
) -> StreamingQuery:
    builder = DynamicKafkaSource.builder(spark).metadata_service(service)
    builder.stream_ids(order.stream)
    for key, value in chosen.options.items():
        builder.option(key, value)
    rows = builder.load().selectExpr("cast(value as string) as id", "cluster", "topic", "partition", "offset")
    if order.sink:
        number = len(lines_of(order.starts))
        rows = rows.selectExpr(f"to_json(struct(*, {number} as start)) as value")
        writer = rows.writeStream.format("kafka").options(**order.sink).outputMode("update")
    else:
        writer = rows.writeStream.format("json").option("path", str(order.table))
    writer.option("checkpointLocation", str(order.checkpoint))
    return writer.trigger(**chosen.trigger).start()  # type: ignore[call-overload, no-any-return]


def watch(query: StreamingQuery, order: Order) -> None:
    """Returns when the query was stopped, as it is when there is a request to, or has read what was there; raises what
    it failed with."""
    lost = 0
    while not query.awaitTermination(_LOOK):  # type: ignore[arg-type]  # takes fractions, too
        progress = query.lastProgress
        if progress is not None:
            order.progress.write_text(progress.json)
            before, lost = lost, int(progress.sources[0].metrics.get("dataLossRecords", 0))
            if lost > before:
                note(order.losses, records=lost)
        if order.request.exists():
            order.request.unlink()
            query.stop()


def note(file: Path, **fields: Any) -> None:
    """One more line of a file, which may end in one that a driver was killed in."""
    with file.open("a") as lines, contextlib.suppress(BrokenPipeError):
        lines.write("\n" + json.dumps({**fields, "at": time.time()}) + "\n")


if __name__ == "__main__":
    main()
