"""What a task's parts cost, compared with reading a record. `RangeSplitter` weighs tasks by these costs."""

import time
from collections.abc import Mapping, Sequence

from tests.cluster import KafkaCluster

from bench import jmh
from bench.console import say
from bench.engine import Engine
from bench.readings import Reading, Readings
from bench.sources import OURS

SUITE = "weights"
RECORD = "a record"
PARTITION = "one more partition"
CLUSTER = "one more cluster"
TASK = "one more task"
NEW = "a new consumer"

_TOPIC = "weights"
_FEW, _MANY, _MORE = 100, 40_000, 16
_ALONE, _LONG, _NEW = f"1x1x{_FEW}", f"1x1x{_MANY}", f"new-1x1x{_FEW}"
_PARTITIONS, _CLUSTERS = f"1x{_MORE}x{_FEW}", f"{_MORE}x1x{_FEW}"
# Values as long as in the middle case of throughput.
_BYTES, _CODEC = 200, "lz4"
_TASKS = 200


def run(engine: Engine, cluster: KafkaCluster, readings: Readings) -> None:
    """Adds the cost of each part: a record in nanoseconds, the others in records that could be read in that time."""
    cluster.create_topic(_TOPIC, _MORE)
    engine.isolated("Fill").write(cluster.bootstrap_servers, _TOPIC, _MORE, _MORE * _MANY, _BYTES, _CODEC)
    say("JMH measures what a task's parts cost ...")
    options = ["-wi", "2", "-i", "5", "-w", "2s", "-r", "1s", "-p", f"address={cluster.bootstrap_servers}"]
    options += ["-p", f"topic={_TOPIC}", "-p", f"end={_MANY}"]
    options += ["-p", f"size={','.join((_ALONE, _LONG, _NEW, _PARTITIONS, _CLUSTERS))}", "TaskReads"]
    results = jmh.run("weights", options)
    taken = {result["params"]["size"]: jmh.raw(result["primaryMetric"]) for result in results}
    for reading in readings_of(taken, _task_seconds(engine)):
        readings.add(reading)
        say(f"{SUITE} | {reading.case}: {reading.median:,.0f} {reading.unit}")
    cluster.delete_topic(_TOPIC)


def readings_of(taken: Mapping[str, Sequence[float]], task: Sequence[float]) -> list[Reading]:
    """The costs, from the seconds of reads, by clusters, partitions and records, and from the seconds of tasks. Each
    cost is the difference of two reads that differ only in this part."""
    costs: dict[str, list[float]] = {name: [] for name in (RECORD, PARTITION, CLUSTER, TASK, NEW)}
    reads = [taken[size] for size in (_ALONE, _LONG, _NEW, _PARTITIONS, _CLUSTERS)]
    # Compares the least values, then the second least, and so on, because other programs delay only some repetitions.
    for alone, long, new, partitions, clusters, start in zip(*map(sorted, (*reads, task)), strict=True):
        record = (long - alone) / (_MANY - _FEW)
        costs[RECORD].append(record * 1e9)
        costs[PARTITION].append((partitions - alone) / (_MORE - 1) / record - _FEW)
        costs[CLUSTER].append((clusters - partitions) / (_MORE - 1) / record)
        costs[TASK].append(start / record)
        costs[NEW].append((new - alone) / record)
    units = {RECORD: "ns"}
    return [Reading(SUITE, name, OURS, "cost", units.get(name, "records"), tuple(all_)) for name, all_ in costs.items()]


def _task_seconds(engine: Engine) -> list[float]:
    """How long a thread is busy with a task that does nothing, repeatedly."""

    def seconds(tasks: int) -> float:
        before = time.perf_counter()
        engine.spark.range(0, tasks, 1, tasks).write.format("noop").mode("overwrite").save()
        return time.perf_counter() - before

    seconds(_TASKS)
    return [(seconds(_TASKS) - seconds(1)) / (_TASKS - 1) * engine.cores for _ in range(5)]
