"""What users do with records: JSON into columns, a count for each minute, and each key once. All of it is written as
Parquet by a query with ``AvailableNow`` and a new checkpoint."""

import json
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql.functions import col, from_json, window
from tests.cluster import KafkaCluster

from bench import sinks
from bench.console import say
from bench.datasets import PARTITIONS
from bench.effort import Effort
from bench.engine import Engine
from bench.readings import Readings
from bench.rounds import Check, Contestant, alternate
from bench.sources import OURS, TUNING, UNION, Listed, OurSource, UnionSource

SUITE = "jobs"
JSON, WINDOWS, DISTINCT = "from_json of 20 fields", "count by minute", "dropDuplicates by key"
CASES = (JSON, WINDOWS, DISTINCT)

# By name, what each field holds: so many letters, or numbers below this.
_LETTERS = {"item": 6, "currency": 3, "channel": 5, "country": 2, "city": 10, "street": 14, "zip": 5, "note": 24}
_WHOLE = {"order": 10**9, "customer": 10**6, "quantity": 100, "store": 1000, "weight": 50_000, "placed": 10**9}
_AMOUNTS = {"price": 1000, "discount": 10, "tax": 200}
_FLAGS = ("paid", "express", "gift")
FIELDS = {
    **dict.fromkeys(_LETTERS, "string"),
    **dict.fromkeys(_WHOLE, "long"),
    **dict.fromkeys(_AMOUNTS, "double"),
    **dict.fromkeys(_FLAGS, "boolean"),
}
# Prime, so that each partition gets all of them.
_VALUES = 4099

_TOPIC = "orders"
MINUTES, _MINUTE = 60, 60_000
_BEGIN = 28_333_333 * _MINUTE
# The watermark is a minute behind the newest record, which lies in the last minute: the two last ones are open.
CLOSED = MINUTES - 2


@dataclass(frozen=True, slots=True)
class Job:
    """What a query does with the stream, and which aggregates of its result must be what."""

    shape: Callable[[DataFrame], DataFrame]
    found: tuple[str, ...]
    expected: tuple[int, ...]


def jobs(number: int) -> Mapping[str, Job]:
    """All of them for two clusters with so many records each, and the same keys."""
    schema = ", ".join(f"{name} {kind}" for name, kind in FIELDS.items())
    parsed = from_json(col("value").cast("string"), schema)
    minute = window("timestamp", "1 minute")
    return {
        JSON: Job(
            lambda frame: frame.select(parsed.alias("parsed")).select("parsed.*"),
            tuple(f"count(`{name}`)" for name in FIELDS),
            (2 * number,) * len(FIELDS),
        ),
        WINDOWS: Job(
            lambda frame: frame.withWatermark("timestamp", "1 minute").groupBy(minute).count(),
            ("count(*)", "sum(count)"),
            (CLOSED, 2 * number // MINUTES * CLOSED),
        ),
        DISTINCT: Job(
            lambda frame: frame.select("key", "value", "timestamp").dropDuplicates(["key"]),
            ("count(*)", "count(DISTINCT key)"),
            (number, number),
        ),
    }


def records(effort: Effort) -> int:
    """Of each cluster, as many in each minute."""
    return 240 * effort.thousands


def values() -> list[str]:
    """Objects of all fields, the same each time."""
    chosen = random.Random(7)
    return [json.dumps(_value(chosen), separators=(",", ":")) for _ in range(_VALUES)]


def _value(chosen: random.Random) -> dict[str, str | int | float | bool]:
    return {
        **{name: "".join(chosen.choices("abcdefghijklmnopqrstuvwxyz", k=size)) for name, size in _LETTERS.items()},
        **{name: chosen.randrange(below) for name, below in _WHOLE.items()},
        **{name: chosen.randrange(100 * below) / 100 for name, below in _AMOUNTS.items()},
        **{name: chosen.random() < 0.5 for name in _FLAGS},
    }


def run(engine: Engine, clusters: Sequence[KafkaCluster], effort: Effort, readings: Readings) -> None:
    """Adds seconds of each job. Raises ``AssertionError`` if a result is not what the records give."""
    number = records(effort)
    listed = [Listed(one.name, one.bootstrap_servers, _TOPIC) for one in clusters]
    lines = "\n".join(values())
    for cluster in clusters:
        cluster.create_topic(_TOPIC, PARTITIONS)
        where = cluster.bootstrap_servers, _TOPIC, PARTITIONS
        engine.isolated("Fill").writeLinesOver(*where, number, lines, _BEGIN, MINUTES * _MINUTE)
    say(f"{number:,} records of {len(lines) // _VALUES} bytes on each of {len(clusters)} clusters")
    sources: Mapping[str, OurSource | UnionSource] = {
        OURS: OurSource(engine.spark, listed),
        UNION: UnionSource(engine.spark, listed, TUNING),
    }
    # Otherwise one task has all of the state, and takes longer than the reading.
    engine.spark.conf.set("spark.sql.shuffle.partitions", engine.cores)
    try:
        for case, job in jobs(number).items():
            contestants = {name: _contestant(engine, source, job) for name, source in sources.items()}
            alternate(engine, readings, SUITE, case, contestants, lambda _: effort.repetitions)
    finally:
        engine.spark.conf.set("spark.sql.shuffle.partitions", 1)
    for cluster in clusters:
        cluster.delete_topic(_TOPIC)


def _contestant(engine: Engine, source: OurSource | UnionSource, job: Job) -> Contestant:
    def run() -> Check:
        checkpoint, out = sinks.folder("checkpoint"), sinks.folder("out")
        writer = job.shape(source.stream()).writeStream.format("parquet").trigger(availableNow=True)
        writer.option("checkpointLocation", str(checkpoint)).start(str(out)).awaitTermination()

        def check() -> None:
            row = engine.spark.read.parquet(str(out)).selectExpr(*job.found).first()
            if row is None or tuple(row) != job.expected:
                raise AssertionError(f"{job.found} must be {job.expected}, and are {row}.")
            for folder in (checkpoint, out):
                shutil.rmtree(folder)

        return check

    return run
