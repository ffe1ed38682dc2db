"""How a batch is shared among 64 slots: which tasks it has, and how even they are. No times are measured, because all
slots share the cores of one machine."""

import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple
from pathlib import Path

from confluent_kafka import Producer
from tests.cluster import KafkaCluster, KafkaClusters

from bench.console import say
from bench.folders import FOLDER, ROOT, WORK
from bench.readings import Reading, Readings
from bench.slots_program import SLOTS, Case, Task
from bench.sources import OURS, Listed

SUITE = "64 slots"
LARGE, SLOW, TRICKLE = "9,000 rows of 50 KB", "9,000 rows of 5 ms", "32 clusters x 1 row"
SKEW, PIECES = "1 of 64 partitions has 100 times as much", "the same with maxRecordsPerPartition"
FIRST, TASKS, EXECUTORS = "tasks of the first batch", "tasks", "executors"
# Of rows that weigh the same. A fair share is what each task has if as many tasks as slots have the same.
FAIR, MEAN, MIB = "largest task to a fair share", "largest task to a mean one", "largest task"

_PARTITIONS, _ROWS = 90, 9000
_SMALL, _MOST = 120, 12_000
_SKEWED = [_MOST] + [_SMALL] * (SLOTS - 1)
_CLUSTERS = 32
# The tasks of the second batch go by what those of the first one have shown.
_BATCHES = 2
_SLEEP = "reflect('java.lang.Thread', 'sleep', 5L)"
_LIMIT = "maxOffsetsPerTrigger"


def run(readings: Readings) -> None:
    """Adds readings of each case."""
    folder = WORK / "slots"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with KafkaClusters(FOLDER / "clusters") as clusters:
        (broker,) = clusters.start("a")
        cases = _cases(broker)
        (folder / "cases.json").write_text(json.dumps([asdict(case) for case in cases]))
        found = _tasks(folder)
    for case, batches in zip(cases, found, strict=True):
        for metric, values in values_of(batches).items():
            readings.add(Reading(SUITE, case.name, OURS, metric, "MiB" if metric == MIB else "", values))
            say(f"{SUITE} | {case.name} | {metric}: {', '.join(f'{value:.2f}' for value in values)}")


def values_of(batches: Sequence[Sequence[Task]]) -> Mapping[str, tuple[float, ...]]:
    """Pure: by metric, one value for each batch from the second on. There are at least two."""
    later = batches[1:]
    largest = [max(task.rows for task in tasks) for tasks in later]
    rows = [[task.rows for task in tasks] for tasks in later]
    return {
        FIRST: (len(batches[0]),),
        TASKS: tuple(map(len, later)),
        EXECUTORS: tuple(len({task.executor for task in tasks}) for tasks in later),
        FAIR: tuple(most * SLOTS / sum(each) for most, each in zip(largest, rows, strict=True)),
        MEAN: tuple(most / statistics.mean(each) for most, each in zip(largest, rows, strict=True)),
        MIB: tuple(max(task.bytes for task in tasks) / 2**20 for tasks in later),
    }


def _cases(broker: KafkaCluster) -> list[Case]:
    even = [_ROWS // _PARTITIONS] * _PARTITIONS
    large, slow, skew = (
        _fill(broker, name, sizes, size)
        for name, sizes, size in (("large", even, 50_000), ("slow", even, 100), ("skew", _SKEWED, 10_000))
    )
    trickle = [_fill(broker, f"trickle-{number:02d}", [1], 100) for number in range(_CLUSTERS)]
    pieces = {_LIMIT: str(sum(_SKEWED)), "maxRecordsPerPartition": str(sum(_SKEWED) // SLOTS)}
    return [
        Case(LARGE, [astuple(large)], {_LIMIT: str(_ROWS)}),
        Case(SLOW, [astuple(slow)], {_LIMIT: str(_ROWS)}, _SLEEP),
        Case(TRICKLE, [astuple(one) for one in trickle], {_LIMIT: str(_CLUSTERS)}),
        Case(SKEW, [astuple(skew)], {_LIMIT: str(sum(_SKEWED))}),
        Case(PIECES, [astuple(skew)], pieces),
    ]


def _fill(broker: KafkaCluster, name: str, sizes: Sequence[int], size: int) -> Listed:
    """A topic on a cluster of that name, with records of ``size`` bytes for some batches: in each, ``sizes`` of the
    partitions."""
    broker.create_topic(name, len(sizes))
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers, "compression.type": "lz4", "log_level": 0})
    value = b"x" * size
    for partition, count in enumerate(sizes):
        for _ in range(_BATCHES * count):
            producer.produce(name, value=value, partition=partition)
            producer.poll(0)
        producer.flush()
    return Listed(name, broker.bootstrap_servers, name)


def _tasks(folder: Path) -> list[list[list[Task]]]:
    """By case and batch."""
    command = [sys.executable, "-m", "bench.slots_program", str(folder)]
    with (folder / "printed.txt").open("w") as printed:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=printed, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"The program has ended with {done.returncode}; see {folder}.")
    found = json.loads(done.stdout.splitlines()[-1])
    return [[[Task(*task) for task in tasks] for tasks in batches] for batches in found]
