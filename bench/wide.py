"""How a trigger, its tasks, connections and the offset's text grow with the partitions: many in one cluster, and many
clusters."""

import shutil
import statistics
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql.streaming.query import StreamingQuery
from tests.cluster import KafkaCluster, eventually
from tests.scenarios.driver_jvm import DriverJvm

from bench.console import say
from bench.effort import Effort
from bench.engine import Engine
from bench.folders import WORK
from bench.readings import Reading, Readings
from bench.sources import OURS, Listed, OurSource
from bench.trickle import Trickle
from bench.triggers import PARTS, TRIGGER, raise_failure

SUITE = "many partitions"
# Clusters, and partitions of each.
SIZES = ((1, 100), (1, 1000), (100, 10), (100, 100))
TASKS, CONNECTIONS, TEXT = "tasks", "connections of the JVM to brokers", "text of an offset"
# Seconds between two records of one partition. With many partitions the writer, which sends one request for each
# record, would take the cores from the query.
_PERIOD, _MOST_PER_SECOND = 2.0, 1000
_WITHIN = 300.0


def case(clusters: int, partitions: int) -> str:
    return f"{clusters} x {partitions}"


def run(engine: Engine, brokers: Sequence[KafkaCluster], effort: Effort, readings: Readings) -> None:
    """Adds readings of each size. The brokers serve as all clusters: each has its own id, topic and connections."""
    warm, count = (20, 40) if effort.whole else (10, 15)
    for clusters, partitions in SIZES:
        listed = _listed(brokers, clusters, partitions)
        with Trickle(listed, partitions, max(_PERIOD, clusters * partitions / _MOST_PER_SECOND)):
            found = _one(engine, brokers, listed, warm, count)
        for metric, value in found.items():
            unit = "s" if metric in (TRIGGER, *PARTS) else "KB" if metric == TEXT else ""
            readings.add(Reading(SUITE, case(clusters, partitions), OURS, metric, unit, (value,)))
        said = ", ".join(f"{metric} {value:.3g}" for metric, value in found.items())
        say(f"{SUITE} | {case(clusters, partitions)}: {said}")
        for number, one in enumerate(listed):
            brokers[number % len(brokers)].delete_topic(one.topic)


def _listed(brokers: Sequence[KafkaCluster], clusters: int, partitions: int) -> list[Listed]:
    listed = []
    for number in range(clusters):
        broker, topic = brokers[number % len(brokers)], f"wide-{clusters}-{partitions}-{number}"
        broker.create_topic(topic, partitions)
        listed.append(Listed(f"wide-{clusters}-{partitions}-{number:03d}", broker.bootstrap_servers, topic))
    return listed


def _one(
    engine: Engine, brokers: Sequence[KafkaCluster], listed: Sequence[Listed], warm: int, count: int
) -> dict[str, float]:
    checkpoint = WORK / f"checkpoint-{listed[0].topic}"
    frame = OurSource(engine.spark, listed).stream("latest").selectExpr("length(value)")
    writer = frame.writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    query = writer.trigger(processingTime="0 seconds").start()
    try:
        first = _await(query, warm)
        _await(query, first + count)
        jvm = DriverJvm(engine.spark)
        return {
            **_parts(query, first),
            TASKS: _tasks(engine, query),
            CONNECTIONS: sum(len(jvm.connections(broker)) for broker in brokers),
            TEXT: _newest(checkpoint / "offsets").stat().st_size / 1000,
        }
    finally:
        query.stop()
        shutil.rmtree(checkpoint, ignore_errors=True)


def _await(query: StreamingQuery, number: int) -> int:
    """Waits for this batch, and returns its number, or that of a later one."""

    def batch() -> int:
        raise_failure(query)
        progress = query.lastProgress
        return -1 if progress is None else progress.batchId

    return eventually(f"batch {number}", batch, until=lambda seen: seen >= number, within=_WITHIN)


def _parts(query: StreamingQuery, first: int) -> dict[str, float]:
    measured = [one for one in query.recentProgress if one.batchId > first and one.numInputRows > 0]
    return {
        part: statistics.median(one.durationMs.get(part, 0) for one in measured) / 1000 for part in (TRIGGER, *PARTS)
    }


def _tasks(engine: Engine, query: StreamingQuery) -> float:
    """Of the newest jobs of the query, in the middle."""
    tracker = engine.spark.sparkContext.statusTracker()
    jobs = sorted(tracker.getJobIdsForGroup(str(query.runId)))[-10:]
    infos = [tracker.getJobInfo(job) for job in jobs]
    stages = [tracker.getStageInfo(stage) for info in infos if info is not None for stage in info.stageIds]
    return statistics.median(stage.numTasks for stage in stages if stage is not None)


def _newest(folder: Path) -> Path:
    return max((one for one in folder.iterdir() if one.name.isdigit()), key=lambda one: int(one.name))
