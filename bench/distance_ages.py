"""A trickle of records of far clusters: how old their rows are, and how many round trips a trigger's questions take."""

import shutil
import statistics
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery
from tests.cluster import eventually

from bench import small_batches
from bench.ages import Window, Written, ages
from bench.console import say
from bench.effort import Effort
from bench.engine import Engine
from bench.far import FarBrokers
from bench.folders import WORK
from bench.readings import Reading, Readings
from bench.sources import OURS, TUNING, UNION, Listed, OurSource, UnionSource
from bench.timed_writes import PERIOD, NumberedWrites
from bench.trickle import PARTITIONS
from bench.triggers import PARTS, TRIGGER, raise_failure

SUITE = "far clusters, trickle"
ROUND_TRIP = 0.08
CASE = f"8 x {PARTITIONS}, {1000 * ROUND_TRIP:.0f} ms a round trip"
P50, P99 = "age of rows, p50", "age of rows, p99"
LATEST = "latestOffset"
TRIPS = f"{LATEST} in round trips"
# Ours when the query does without a cluster that fails: then it waits for none that is slow.
SKIP = f"{OURS}, skip"
_CLUSTERS = 8
_WITHIN = 120.0

# Makes a stream of clusters.
Contestant = Callable[[Sequence[Listed]], DataFrame]


@dataclass(frozen=True, slots=True)
class Windows:
    """Seconds from the first rows of all clusters: not measured, and measured."""

    warm: float
    measured: float


WHOLE = Windows(warm=10, measured=30)
SHORT = Windows(warm=6, measured=15)


class EachPartition(NumberedWrites):
    """A record to each partition every 100 ms, so that a trigger finds some in all."""

    def __init__(self, listed: Sequence[Listed]) -> None:
        super().__init__("trickle", PERIOD, (one.address for one in listed))
        self._listed = listed

    def _step(self) -> None:
        for one in self._listed:
            for partition in range(PARTITIONS):
                self._write(one, partition)
        self._poll()


class Arrivals:
    """When the query's function got each record, by its number."""

    def __init__(self) -> None:
        self.came: dict[int, float] = {}

    def note(self, batch: DataFrame, _: int) -> None:
        numbers, now = [row[0] for row in batch.collect()], time.time()
        again = self.came.keys() & set(numbers)
        if again:
            raise AssertionError(f"{len(again)} records came twice, such as {min(again)}.")
        self.came.update(dict.fromkeys(numbers, now))

    def of(self, written: Sequence[Written]) -> dict[Written, float]:
        return {one: self.came[one.number] for one in written if one.number in self.came}


def run(engine: Engine, far: FarBrokers, effort: Effort, readings: Readings) -> None:
    """Adds ages and parts of a trigger. The two brokers serve as all clusters: each cluster has its own id, topic and
    connections, all of them through a forwarder."""
    contestants = _contestants(engine)
    found: dict[str, list[dict[str, float]]] = {name: [] for name in contestants}
    far.move(0)
    small_batches.warm(engine, small_batches.create_topics(far.clusters, _CLUSTERS))
    far.move(ROUND_TRIP)
    for number in range(effort.repetitions if effort.whole else effort.fewer):
        for turn, (name, contestant) in enumerate(contestants.items()):
            measured = _one(contestant, far, f"far-{number}-{turn}", WHOLE if effort.whole else SHORT)
            found[name].append(measured)
            said = "; ".join(f"{metric} {value:.2f}" for metric, value in measured.items())
            say(f"{SUITE} | round {number + 1} | {name}: {said}")
    for name, rounds in found.items():
        for metric in rounds[0]:
            unit = "round trips" if metric == TRIPS else "s"
            readings.add(Reading(SUITE, CASE, name, metric, unit, tuple(one[metric] for one in rounds)))


def _contestants(engine: Engine) -> Mapping[str, Contestant]:
    spark = engine.spark
    return {
        OURS: lambda listed: OurSource(spark, listed).stream(),
        UNION: lambda listed: UnionSource(spark, listed, TUNING).stream(),
        SKIP: lambda listed: OurSource(spark, listed).stream(unavailable="skip"),
    }


def _one(contestant: Contestant, far: FarBrokers, topic: str, windows: Windows) -> dict[str, float]:
    """One query on new topics: values by metric. Raises ``AssertionError`` if a record comes twice, or never."""
    read, written_to = _clusters(far, topic)
    arrivals = Arrivals()
    with EachPartition(written_to) as writes, _Running(contestant(read), arrivals, topic) as query:
        begin = query.await_rows() + windows.warm
        _pass_until(begin + windows.measured)
        triggers = query.triggers()
        writes.stop()
        written = writes.written()
        seen_until = query.await_all(written)
    return values(written, arrivals.of(written), triggers, Window(begin, begin + windows.measured, seen_until))


def values(
    written: Sequence[Written],
    came: Mapping[Written, float],
    triggers: Mapping[float, Mapping[str, int]],
    window: Window,
) -> dict[str, float]:
    """Pure: by metric, of the rows that were written in the window and the triggers that began in it."""
    found = ages(written, came, window)
    usual = [durations for began, durations in triggers.items() if window.begin <= began < window.end]
    parts = {part: statistics.median(each.get(part, 0) for each in usual) / 1000 for part in (TRIGGER, *PARTS)}
    return {P50: found.p50, P99: found.p99, TRIPS: parts[LATEST] / ROUND_TRIP, **parts}


def _clusters(far: FarBrokers, topic: str) -> tuple[list[Listed], list[Listed]]:
    """The clusters as they are read, from far, and as they are written, from near."""
    pairs = list(zip(far.clusters, far.gates, strict=True))
    read, written = [], []
    for number in range(_CLUSTERS):
        name = f"cluster-{number}"
        cluster, gate = pairs[number % len(pairs)]
        cluster.create_topic(f"{topic}-{name}", PARTITIONS)
        read.append(Listed(name, gate.address, f"{topic}-{name}"))
        written.append(Listed(name, cluster.second_address, f"{topic}-{name}"))
    return read, written


class _Running:
    """A query, one trigger after the other."""

    def __init__(self, frame: DataFrame, arrivals: Arrivals, name: str) -> None:
        self._checkpoint = WORK / name
        self._arrivals = arrivals
        rows = frame.selectExpr("cast(trim(cast(value as string)) as long) as number")
        writer = rows.writeStream.foreachBatch(arrivals.note).option("checkpointLocation", str(self._checkpoint))
        self._query: StreamingQuery = writer.trigger(processingTime="0 seconds").start()

    def __enter__(self) -> "_Running":
        return self

    def __exit__(self, *_: object) -> None:
        self._query.stop()
        shutil.rmtree(self._checkpoint, ignore_errors=True)

    def await_rows(self) -> float:
        """Returns the time when as many have come as there are partitions."""

        def came() -> int:
            raise_failure(self._query)
            return len(self._arrivals.came)

        enough = _CLUSTERS * PARTITIONS
        eventually("the first rows have come", came, until=lambda seen: seen >= enough, within=_WITHIN)
        return time.time()

    def await_all(self, written: Sequence[Written]) -> float:
        """Returns the time when all of these have come."""

        def missing() -> int:
            raise_failure(self._query)
            return len({one.number for one in written} - self._arrivals.came.keys())

        eventually("all that was written has come; missing", missing, until=lambda left: left == 0, within=_WITHIN)
        return time.time()

    def triggers(self) -> dict[float, dict[str, int]]:
        """What the newest triggers with rows took, in milliseconds by part, by the time when they began."""
        return {
            datetime.fromisoformat(one.timestamp).timestamp(): dict(one.durationMs)
            for one in self._query.recentProgress
            if one.numInputRows > 0
        }


def _pass_until(moment: float) -> None:
    """Lets time pass while rows are written and read. The measurement needs a period of time."""
    threading.Event().wait(max(0.0, moment - time.time()))
