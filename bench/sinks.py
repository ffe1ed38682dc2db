"""What is done with the records, in a batch and in a stream that ends."""

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame

from bench.folders import WORK

NOOP = "noop, all columns"
COUNT = "count()"
SUM = "sum(length(value))"
FILTER = "text filter"
PARQUET = "Parquet"
ALL = (NOOP, COUNT, SUM, FILTER, PARQUET)

_NUMBERS = itertools.count()
_SUM = "sum(length(value))"
_FILTER = "contains(cast(value as string), 'no record holds this')"
_STORED = ("key", "value", "topic", "partition", "offset", "timestamp")


def run_batch(sink: str, frame: DataFrame) -> None:
    """Reads all of a frame into a sink."""
    out = folder("out")
    actions: dict[str, Callable[[], object]] = {
        NOOP: lambda: frame.write.format("noop").mode("overwrite").save(),
        COUNT: frame.count,
        SUM: lambda: frame.selectExpr(_SUM).collect(),
        FILTER: lambda: frame.where(_FILTER).count(),
        PARQUET: lambda: frame.select(*_STORED).write.parquet(str(out)),
    }
    actions[sink]()
    shutil.rmtree(out, ignore_errors=True)


def run_stream(sink: str, frame: DataFrame) -> int:
    """Reads everything by an ``AvailableNow`` query, and returns how many records that were."""
    checkpoint, out = folder("checkpoint"), folder("out")
    shaped = {
        NOOP: lambda: frame,
        COUNT: lambda: frame.groupBy().count(),
        SUM: lambda: frame.selectExpr("length(value) as size").groupBy().sum("size"),
        FILTER: lambda: frame.where(_FILTER),
        PARQUET: lambda: frame.select(*_STORED),
    }[sink]()
    writer = shaped.writeStream.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
    if sink in (COUNT, SUM):
        writer = writer.outputMode("complete")
    query = writer.format("parquet").start(str(out)) if sink == PARQUET else writer.format("noop").start()
    query.awaitTermination()
    read = sum(progress.numInputRows for progress in query.recentProgress)
    for left in (checkpoint, out):
        shutil.rmtree(left, ignore_errors=True)
    return read


def folder(kind: str) -> Path:
    """The path of a new one."""
    return WORK / f"{kind}-{next(_NUMBERS)}"
