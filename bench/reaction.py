"""How soon a new cluster is read once the metadata lists it, and how much that delays the other cluster."""

import shutil
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from dynamic_kafka import ClusterMetadata, DynamicKafkaSource, InMemoryMetadataService, KafkaStream
from pyspark.sql import DataFrame
from tests.cluster import KafkaCluster, eventually

from bench.console import say
from bench.effort import Effort
from bench.engine import Engine
from bench.folders import WORK
from bench.readings import Reading, Readings
from bench.sources import OURS, Listed
from bench.trickle import PARTITIONS, Trickle

SUITE = "a cluster is added"
CASE = "asked every second"
REACTION = "from the change to the end of the first batch with its records"
BEFORE = "longest pause of the other cluster before"
DURING = "longest pause of the other cluster meanwhile"
_INTERVAL = "1s"
_WITHIN = 60.0
_OLD, _NEW = "old", "new"


class Seen:
    """When batches with records of each cluster ended, in seconds of a monotonic clock."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {_OLD: [], _NEW: []}

    def note(self, batch: DataFrame, _: int) -> None:
        found = [row.cluster for row in batch.select("cluster").distinct().collect()]
        for cluster in found:
            self.times[cluster].append(time.monotonic())

    def longest_pause(self, begin: float, end: float) -> float:
        """The longest time between two moments without a batch of the old cluster."""
        times = [begin, *(at for at in self.times[_OLD] if begin < at < end), end]
        return max(later - sooner for sooner, later in pairwise(times))


def run(engine: Engine, brokers: Sequence[KafkaCluster], effort: Effort, readings: Readings) -> None:
    """Adds the time to the first record, and the pauses of the other cluster before and meanwhile."""
    first, second = brokers
    found: dict[str, list[float]] = {REACTION: [], BEFORE: [], DURING: []}
    for number in range(effort.repetitions):
        old = Listed(_OLD, first.bootstrap_servers, f"old-{number}")
        new = Listed(_NEW, second.bootstrap_servers, f"new-{number}")
        for broker, one in ((first, old), (second, new)):
            broker.create_topic(one.topic, PARTITIONS)
        with Trickle([old, new]):
            for metric, seconds in _one(engine, old, new).items():
                found[metric].append(seconds)
    for metric, values in found.items():
        reading = Reading(SUITE, CASE, OURS, metric, "s", tuple(values))
        readings.add(reading)
        say(f"{SUITE} | {metric}: {reading.median:.2f} s ({reading.least:.2f}-{reading.most:.2f})")


def _one(engine: Engine, old: Listed, new: Listed) -> dict[str, float]:
    service = InMemoryMetadataService([_stream(old)])
    builder = DynamicKafkaSource.builder(engine.spark).metadata_service(service).stream_ids("moves")
    frame = builder.starting_offsets("latest").metadata_discovery_interval(_INTERVAL).load()
    checkpoint: Path = WORK / f"reaction-{old.topic}"
    seen = Seen()
    writer = frame.writeStream.foreachBatch(seen.note).option("checkpointLocation", str(checkpoint))
    query = writer.trigger(processingTime="0 seconds").start()
    try:
        _await(seen, _OLD, 20)
        changed = time.monotonic()
        quiet = seen.times[_OLD][9]
        service.put(_stream(old, new))
        _await(seen, _NEW, 1)
        there = seen.times[_NEW][0]
        return {
            REACTION: there - changed,
            BEFORE: seen.longest_pause(quiet, changed),
            DURING: seen.longest_pause(changed, there),
        }
    finally:
        query.stop()
        shutil.rmtree(checkpoint, ignore_errors=True)


def _await(seen: Seen, cluster: str, batches: int) -> None:
    eventually(
        f"{batches} batches with records of cluster {cluster}",
        lambda: len(seen.times[cluster]),
        until=lambda count: count >= batches,
        within=_WITHIN,
        every=0.01,
    )


def _stream(*listed: Listed) -> KafkaStream:
    clusters = {one.cluster_id: ClusterMetadata([one.topic], {"bootstrap.servers": one.address}) for one in listed}
    return KafkaStream("moves", clusters)
