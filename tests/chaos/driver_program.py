"""The driver of a run, to be killed: one query into a table of files, started again whenever it ends.

``driver_program.py ORDER`` reads its ``Order``, as JSON, and runs until it is killed.
"""

import contextlib
import json
import sys
import threading
import time
from pathlib import Path

from dynamic_kafka import DynamicKafkaError, DynamicKafkaSource, YamlFileMetadataService, find_error
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tests.chaos.order import Order
from tests.scenarios.session import start_spark

# How often the query is looked at, and how long a start waits after a failure, as a supervisor would have it; seconds.
_LOOK, _PAUSE = 0.2, 0.5


def main() -> None:
    order = Order.read(Path(sys.argv[1]))
    spark = start_spark(order.folder / f"spark-{sys.argv[2]}", more=order.session)
    while True:
        once(spark, order)


def once(spark: SparkSession, order: Order) -> None:
    """Starts the query and returns when it has ended, however it did."""
    try:
        watch(start(spark, order), order)
    except (PySparkException, DynamicKafkaError) as failure:
        tell(order, failure)
        threading.Event().wait(_PAUSE)


def start(spark: SparkSession, order: Order) -> StreamingQuery:
    builder = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(order.streams))
    builder.stream_ids(order.stream)
    for key, value in order.options.items():
        builder.option(key, value)
    rows = builder.load().selectExpr("cast(value as string) as id", "cluster", "topic", "partition", "offset")
    writer = rows.writeStream.format("json").option("path", str(order.table))
    writer.option("checkpointLocation", str(order.checkpoint))
    return writer.trigger(processingTime=f"{order.trigger_ms} milliseconds").start()


def watch(query: StreamingQuery, order: Order) -> None:
    """Returns when the query was stopped, as it is when there is a request to; raises what it failed with."""
    while not query.awaitTermination(_LOOK):  # type: ignore[arg-type]  # takes fractions, too
        progress = query.lastProgress
        if progress is not None:
            order.progress.write_text(progress.json)
        if order.request.exists():
            order.request.unlink()
            query.stop()


def tell(order: Order, failure: PySparkException | DynamicKafkaError) -> None:
    """Writes down what the query ended with."""
    ours = failure if isinstance(failure, DynamicKafkaError) else find_error(failure)
    ending = {"condition": "other" if ours is None else ours.condition, "text": str(ours or failure)[:4000]}
    with order.endings.open("a") as endings, contextlib.suppress(BrokenPipeError):
        endings.write(json.dumps({**ending, "at": time.time()}) + "\n")


if __name__ == "__main__":
    main()
