"""How long a query of far clusters with TLS takes from its start to its first rows, when no connection is open yet."""

import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame
from tests.cluster import Record, ServerSettings, eventually

from bench import sinks
from bench.console import say
from bench.effort import Effort
from bench.engine import Engine
from bench.far import NAMES, FarBrokers, far_brokers
from bench.readings import Reading, Readings
from bench.sources import OURS, TUNING, UNION, Listed, OurSource, UnionSource
from bench.tls import new_certificates, trusting
from bench.trickle import PARTITIONS
from bench.triggers import raise_failure

SUITE = "far clusters, cold start"
ROUND_TRIP = 0.08
CASE = f"{len(NAMES)} x {PARTITIONS}, TLS, {1000 * ROUND_TRIP:.0f} ms a round trip"
FIRST = "from start() to the first rows"
# After so many starts without a distance, later ones take the same time.
_WARM = 10
# Records of a cluster.
_EACH = 100
_WITHIN = 120.0

# Makes a stream of clusters.
Contestant = Callable[[Sequence[Listed]], DataFrame]


def run(engine: Engine, settings: ServerSettings, effort: Effort, readings: Readings) -> None:
    """Adds seconds, of two brokers with these settings that are started for it."""
    say("Starting two brokers with TLS behind forwarders ...")
    contestants: Mapping[str, Contestant] = {
        OURS: lambda listed: OurSource(engine.spark, listed).stream(),
        UNION: lambda listed: UnionSource(engine.spark, listed, TUNING).stream(),
    }
    certificates = new_certificates()
    found: dict[str, list[float]] = {name: [] for name in contestants}
    with far_brokers(replace(settings, certificates=certificates), "TLS") as far:
        for number in range(_WARM + effort.repetitions):
            far.move(0 if number < _WARM else ROUND_TRIP)
            for turn, (name, contestant) in enumerate(contestants.items()):
                listed = _clusters(far, f"cold-{number}-{turn}", trusting(certificates))
                engine.collect_garbage()
                far.disconnect()
                seconds = first_rows(contestant(listed), range(_EACH * len(listed)))
                say(f"{SUITE} | {'warm-up' if number < _WARM else CASE} | {name}: {seconds:.2f} s")
                found[name].append(seconds)
    for name, all_ in found.items():
        readings.add(Reading(SUITE, CASE, name, FIRST, "s", tuple(all_[_WARM:])))


def first_rows(frame: DataFrame, expected: Iterable[int]) -> float:
    """Starts a query, and returns the seconds until ``foreachBatch`` has the rows of its first batch. Raises
    ``AssertionError`` unless their values are these, each once."""
    came: list[tuple[float, list[int]]] = []

    def note(batch: DataFrame, _: int) -> None:
        numbers = [int(row[0]) for row in batch.collect()]
        came.append((time.perf_counter(), numbers))

    def batches() -> int:
        raise_failure(query)
        return len(came)

    checkpoint = sinks.folder("checkpoint")
    writer = frame.selectExpr("cast(value as string)").writeStream.foreachBatch(note)
    began = time.perf_counter()
    query = writer.option("checkpointLocation", str(checkpoint)).start()
    try:
        eventually("the first batch", batches, until=lambda seen: seen > 0, within=_WITHIN)
    finally:
        query.stop()
        shutil.rmtree(checkpoint, ignore_errors=True)
    ended, numbers = came[0]
    if sorted(numbers) != list(expected):
        raise AssertionError(f"The first batch has {len(numbers)} rows, which are not all, each once.")
    return ended - began


def _clusters(far: FarBrokers, topic: str, login: Mapping[str, str]) -> list[Listed]:
    """Full topics under new cluster ids. Both sources keep consumers for longer than a query, Spark's own by a group
    that each query has for itself, but ours by cluster id and connection: a new query would find warm ones."""
    listed = []
    for number, (cluster, gate) in enumerate(zip(far.clusters, far.gates, strict=True)):
        cluster.create_topic(topic, PARTITIONS)
        numbers = range(number * _EACH, (number + 1) * _EACH)
        cluster.produce(topic, (Record(None, str(one), partition=one % PARTITIONS) for one in numbers))
        listed.append(Listed(f"{topic}-{cluster.name}", gate.address, topic, login))
    return listed
