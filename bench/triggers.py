"""Triggers of one streaming query, and where their time goes."""

import itertools
import shutil
import statistics
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql.streaming.listener import StreamingQueryProgress
from pyspark.sql.streaming.query import StreamingQuery
from tests.cluster import eventually

from bench.engine import Engine
from bench.folders import WORK

TRIGGER = "triggerExecution"
# By the names that Spark gives them, in the order in which they happen.
PARTS = ("latestOffset", "walCommit", "getBatch", "queryPlanning", "addBatch", "commitOffsets", "commitBatch")
_WITHIN = 180.0
_NUMBERS = itertools.count()


@dataclass(frozen=True, slots=True)
class Triggers:
    """The median seconds of each part of some triggers, by Spark's name of it, and of all of it; and the CPU seconds of
    each trigger on average, whatever ran beside it included."""

    seconds: dict[str, float]
    cpu: float


def run_triggers(engine: Engine, frame: DataFrame, *, warm: int, count: int, idle: bool = False) -> Triggers:
    """Runs a query, one trigger after the other; ``warm`` triggers pass before ``count`` are measured. Only triggers
    that read records count; with ``idle`` only those that do not."""
    checkpoint = WORK / f"triggers-{next(_NUMBERS)}"
    writer = frame.selectExpr("length(value)").writeStream.format("noop")
    query = writer.option("checkpointLocation", str(checkpoint)).trigger(processingTime="0 seconds").start()
    try:
        seen = len(_await(query, warm, idle=idle))
        before = engine.cpu_seconds()
        measured = _await(query, seen + count, idle=idle)[seen:]
        cpu = engine.cpu_seconds() - before
    finally:
        query.stop()
        shutil.rmtree(checkpoint, ignore_errors=True)
    return Triggers({part: _median(measured, part) for part in (TRIGGER, *PARTS)}, cpu / len(measured))


def _await(query: StreamingQuery, count: int, *, idle: bool) -> list[StreamingQueryProgress]:
    def progress() -> list[StreamingQueryProgress]:
        failure = query.exception()
        if failure is not None:
            raise failure
        return [one for one in query.recentProgress if (one.numInputRows == 0) == idle]

    return eventually(f"{count} triggers", progress, until=lambda seen: len(seen) >= count, within=_WITHIN)


def _median(progress: list[StreamingQueryProgress], part: str) -> float:
    return statistics.median(one.durationMs.get(part, 0) for one in progress) / 1000
