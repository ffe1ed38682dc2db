"""A query that ends, however it ends, resumes exactly where it was."""

import os
import random
import threading
from collections import Counter
from pathlib import Path

import pytest
from dynamic_kafka import ClusterMetadata
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.conftest import Name
from tests.scenarios.driver_process import DriverHere, DriverProcess, Table
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import IdProducer, write
from tests.scenarios.queries import Running
from tests.scenarios.scene import Scene

KILLS = 3


def moving(a: KafkaCluster, b: KafkaCluster, c: KafkaCluster, topic: str) -> list[dict[str, ClusterMetadata]]:
    """A stream's way from one cluster to the last: one that leaves while no driver may know it stays listed for its
    credentials."""
    return [
        {"a": on(a, topic)},
        {"a": on(a, topic), "b": on(b, topic)},
        {"a": on(a), "b": on(b, topic), "c": on(c, topic)},
        {"a": on(a), "b": on(b), "c": on(c, topic)},
    ]


@pytest.fixture
def three(a: KafkaCluster, b: KafkaCluster, c: KafkaCluster) -> tuple[KafkaCluster, ...]:
    return a, b, c


@pytest.mark.long
def test_every_id_is_in_the_table_once_though_the_driver_is_killed_while_the_stream_moves(
    three: tuple[KafkaCluster, ...], file: FileListing, spark: SparkSession, tmp_path: Path, fresh_name: Name
) -> None:
    a, b, c = three
    seed = int(os.environ.get("SEED", random.randrange(10**6)))
    print(f"SEED={seed} makes the same kills again")
    chance = random.Random(seed)
    stream, topic = fresh_name("killed"), fresh_name("ids")
    for cluster in three:
        cluster.create_topic(topic, partitions=2)
    lists = moving(a, b, c, topic)
    targets = [(a,), (a, b), (b, c), (c,)]
    table = Table(tmp_path / "driver")
    file.publish(stream, lists[0])
    with IdProducer((a, topic)) as ids:
        for kill in range(KILLS):
            before = len(table.ids())
            with DriverProcess(file.path, stream, tmp_path / "driver") as driver:

                def grown(driver: DriverProcess = driver) -> int:
                    driver.check()
                    return len(table.ids())

                goal = before + chance.randrange(1, 200)
                eventually(f"the table grows to {goal}", grown, until=lambda seen, goal=goal: seen >= goal, within=90)  # type: ignore[misc]
                # Now the topology changes, and the kill comes at any moment of what follows from it.
                ids.move(*((cluster, topic) for cluster in targets[kill + 1]))
                file.publish(stream, lists[kill + 1])
                threading.Event().wait(chance.uniform(0, 1.5))
        ids.await_more(20)
    with DriverHere(spark, file.path, stream, tmp_path / "driver") as last:

        def missing() -> int:
            last.check()
            return len(set(ids.written()) - set(table.ids()))

        eventually("all ids are in the table; missing", missing, until=lambda seen: seen == 0, within=90)
    assert table.ids() == Counter(ids.written())
    assert table.unequal() == []


@pytest.fixture
def uncommitted(a: KafkaCluster, b: KafkaCluster, scene: Scene, topic: str) -> tuple[Running, str, list[str]]:
    """A query that ended between the log of a batch and its commit; its topic, and the values it read."""
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    expected = write(a, topic, "a1") + write(b, topic, "b1", "b2")
    running = scene.start(scene.read("orders").load())
    running.await_values(expected)
    running.leave_over()
    return running, topic, expected


def test_an_uncommitted_batch_is_read_again_exactly_though_the_topology_changed(
    uncommitted: tuple[Running, str, list[str]], a: KafkaCluster, b: KafkaCluster, c: KafkaCluster, scene: Scene
) -> None:
    running, topic, expected = uncommitted
    first = {batch: sorted(rows) for batch, rows in running.batches.items()}
    c.create_topic(topic)
    expected += write(c, topic, "c1") + write(a, topic, "a2") + write(b, topic, "b3")
    b.add_partitions(topic, 2)
    scene.publish("orders", {"a": on(a, topic), "b": on(b), "c": on(c, topic)})
    again = scene.start(scene.read("orders").load(), after=running)
    again.await_values(expected)
    assert {batch: sorted(again.batches[batch]) for batch in first} == first
