"""Triggers of one streaming query, and the parts of their time."""

import itertools
import shutil
import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql.streaming.listener import StreamingQueryProgress
from pyspark.sql.streaming.query import StreamingQuery
from tests.cluster import eventually

from bench.engine import Engine
from bench.folders import WORK

TRIGGER = "triggerExecution"
# By Spark's names, in the order in which they happen.
PARTS = ("latestOffset", "walCommit", "getBatch", "queryPlanning", "addBatch", "commitOffsets", "commitBatch")
_WITHIN = 180.0
_NUMBERS = itertools.count()


@dataclass(frozen=True, slots=True)
class Triggers:
    """The median seconds of each part of some triggers, by Spark's name, and of the whole; and the average CPU seconds
    of a trigger, including whatever else ran."""

    seconds: dict[str, float]
    cpu: float


def run_triggers(engine: Engine, frame: DataFrame, *, warm: int, count: int) -> Triggers:
    """Runs a query, one trigger after the other. Of those that find records, the first ``warm`` are skipped, and the
    next ``count`` are measured."""
    with _running(frame) as query:
        first = _await_batch(query, warm)
        before = engine.cpu_seconds()
        last = _await_batch(query, first + count)
        cpu = engine.cpu_seconds() - before
        measured = [one for one in query.recentProgress if first < one.batchId <= last and one.numInputRows > 0]
    return _triggers(measured, cpu)


def run_idle_triggers(engine: Engine, frame: DataFrame, *, count: int) -> Triggers:
    """Runs a query whose triggers find nothing. The first such trigger is skipped, and the next ``count`` are
    measured."""
    with _running(frame) as query:
        _await_idle(query, 1)
        before = engine.cpu_seconds()
        measured = _await_idle(query, 1 + count)[1:]
        cpu = engine.cpu_seconds() - before
    return _triggers(measured, cpu)


@contextmanager
def _running(frame: DataFrame) -> Iterator[StreamingQuery]:
    checkpoint = WORK / f"triggers-{next(_NUMBERS)}"
    writer = frame.selectExpr("length(value)").writeStream.format("noop")
    query = writer.option("checkpointLocation", str(checkpoint)).trigger(processingTime="0 seconds").start()
    try:
        yield query
    finally:
        query.stop()
        shutil.rmtree(checkpoint, ignore_errors=True)


def _triggers(measured: Sequence[StreamingQueryProgress], cpu: float) -> Triggers:
    return Triggers({part: _median(measured, part) for part in (TRIGGER, *PARTS)}, cpu / len(measured))


def _await_batch(query: StreamingQuery, number: int) -> int:
    """Waits for this batch or a later one, and returns its number. Reads one event at a time, because those of many
    clusters are long."""

    def batch() -> int:
        raise_failure(query)
        progress = query.lastProgress
        return -1 if progress is None else progress.batchId

    return eventually(f"batch {number}", batch, until=lambda seen: seen >= number, within=_WITHIN)


def _await_idle(query: StreamingQuery, count: int) -> list[StreamingQueryProgress]:
    def progress() -> list[StreamingQueryProgress]:
        raise_failure(query)
        return [one for one in query.recentProgress if one.numInputRows == 0]

    return eventually(f"{count} idle triggers", progress, until=lambda seen: len(seen) >= count, within=_WITHIN)


def raise_failure(query: StreamingQuery) -> None:
    failure = query.exception()
    if failure is not None:
        raise failure


def _median(progress: Sequence[StreamingQueryProgress], part: str) -> float:
    return statistics.median(one.durationMs.get(part, 0) for one in progress) / 1000
