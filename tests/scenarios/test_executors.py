"""On a Spark cluster: which executor reads what, with how many connections, and how many executors are asked for."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.spark_cluster import SparkCluster
from tests.cluster import KafkaCluster, Record
from tests.scenarios.conftest import Name
from tests.scenarios.listing import FileListing, on
from tests.scenarios.spark_programs import run_program

pytestmark = pytest.mark.long

CLUSTERS, PARTITIONS, BATCHES = 8, 4, 200


@pytest.fixture
def filled(a: KafkaCluster, b: KafkaCluster, file: FileListing, fresh_name: Name) -> Callable[[int], str]:
    """Makes a stream on eight clusters, for which two stand, with so many records in each partition: its id."""

    def fill(records: int) -> str:
        stream, listed = fresh_name("stream"), {}
        for number in range(CLUSTERS):
            cluster, topic = (a, b)[number % 2], fresh_name("topic")
            cluster.create_topic(topic, partitions=PARTITIONS)
            cluster.produce(
                topic, [Record(None, f"{n}", partition=at) for at in range(PARTITIONS) for n in range(records)]
            )
            listed[f"cluster-{number}"] = on(cluster, topic)
        file.publish(stream, listed)
        return stream

    return fill


def test_each_partition_is_read_by_the_same_executor_and_connections_are_bounded(
    filled: Callable[[int], str], a: KafkaCluster, b: KafkaCluster, file: FileListing, tmp_path: Path
) -> None:
    stream = filled(BATCHES)
    with SparkCluster(tmp_path / "spark", workers=2) as spark:
        given = file.path, stream, tmp_path / "program", spark.master
        found = run_program("placement_program", *given, CLUSTERS * PARTITIONS)
    assert len(found["batches"]) >= BATCHES
    readers: dict[tuple[Any, ...], Counter[str]] = {}
    for batch in found["batches"]:
        for cluster, partition, executor in batch:
            readers.setdefault((cluster, partition), Counter())[executor] += 1
    assert len(readers) == CLUSTERS * PARTITIONS
    assert {place: seen for place, seen in readers.items() if len(seen) > 1} == {}, "read by one executor each"
    shares = Counter(executor for seen in readers.values() for executor in seen)
    assert sorted(shares.values()) == [CLUSTERS * PARTITIONS // 2] * 2, "shared evenly"
    # A client has one connection to the address that it was given and one to the broker; of tasks runs one at a time.
    brokers = {a.port(), b.port()}
    counts = {name: sum(port in brokers for port in ports) for name, ports in found["connections"].items()}
    assert len(counts) == 2
    assert all(0 < count <= 2 * CLUSTERS for count in counts.values()), counts


def test_with_dynamic_allocation_a_backlog_has_spark_ask_for_as_many_executors_as_there_may_be(
    filled: Callable[[int], str], file: FileListing, tmp_path: Path
) -> None:
    # So much of each partition that it is worth a task of its own.
    stream = filled(10_000)
    with SparkCluster(tmp_path / "spark", workers=3) as spark:
        assert run_program("allocation_program", file.path, stream, tmp_path / "program", spark.master, 3) == 3
