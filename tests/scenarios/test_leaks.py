"""What comes and goes leaves nothing behind. ``make leaks`` does it hundreds of times, ``make long`` a few.

The id of a test says what is looked for: objects only where enough rounds set them apart from what warms up.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.conftest import Name
from tests.scenarios.held_resources import HeldResources, ResourceCounter
from tests.scenarios.listing import on
from tests.scenarios.producing import write
from tests.scenarios.scene import Scene

pytestmark = pytest.mark.long


CLUSTERS = int(os.environ.get("LEAK_CLUSTERS", "8"))
RESTARTS = int(os.environ.get("LEAK_RESTARTS", "8"))
# Clients and threads that idle end after 2 s, and what was handed to Python ends with the JVM's next collection.
SETTLING = 20
# With fewer rounds what warms up, such as the clients' samples, looks the same as objects that leak.
ENOUGH_FOR_OBJECTS = 50


def rounds(number: int) -> pytest.MarkDecorator:
    """So many rounds, in a test whose id says what is compared after them."""
    held = "thread-connection-bean-callback" + ("-object" if number >= ENOUGH_FOR_OBJECTS else "")
    return pytest.mark.parametrize("rounds", [pytest.param(number, id=held)])


def compare(counter: ResourceCounter, rounds: int, one_round: Callable[[int], None]) -> None:
    """Does all rounds. After the last there must be no more than after the first tenth, three rounds at least."""
    first = max(3, rounds // 10)
    for number in range(first):
        one_round(number)
    before = unchanged(counter)
    classes, heap = counter.instances(), counter.heap_mb()
    for number in range(first, rounds):
        one_round(number)
    after = eventually(
        f"no more is held than before, {before}",
        counter.held,
        until=lambda seen: not seen.beyond(before, rounds - first),
        within=SETTLING,
        every=0.5,
    )
    print(f"after {first} rounds: {before}, {heap:.1f} MB; after {rounds}: {after}, {counter.heap_mb():.1f} MB")

    def grown() -> dict[str, int]:
        # A leak is one object a round, at least.
        return {name: more for name, more in (counter.instances() - classes).items() if more >= rounds - first}

    if rounds >= ENOUGH_FOR_OBJECTS:
        eventually("no class has as many objects more as there were rounds", grown, until=_none, within=2 * SETTLING)


def _none(seen: dict[str, int]) -> bool:
    return not seen


def unchanged(counter: ResourceCounter) -> HeldResources:
    """What is held once nothing that idles can still go: what idles longest is closed after 2 s."""
    since: dict[HeldResources, float] = {}

    def look() -> HeldResources:
        seen = counter.held()
        if seen not in since:
            since.clear()
            since[seen] = time.monotonic()
        return seen

    def steady(seen: HeldResources) -> bool:
        return time.monotonic() - since[seen] > 3

    return eventually("what is held stays the same for 3 s", look, until=steady, within=2 * SETTLING, every=0.5)


@rounds(CLUSTERS)
def test_clusters_that_come_and_go_leave_nothing_behind(
    rounds: int, a: KafkaCluster, b: KafkaCluster, spark: SparkSession, scene: Scene, fresh_name: Name
) -> None:
    stream, topic = fresh_name("leaks"), fresh_name("topic")
    # So many that who had a topic before is forgotten when it comes again, which would be a duplicate otherwise.
    others = [fresh_name("other") for _ in range(8)]
    a.create_topic(topic)
    for other in others:
        b.create_topic(other)
    scene.publish(stream, {"a": on(a, topic)})
    # Positions of what was removed are kept meanwhile, which is no leak.
    running = scene.start(scene.read(stream).removed_cluster_retention("1s").load())

    def come_and_go(number: int) -> None:
        name, other = f"cluster-{number}", others[number % len(others)]
        written = write(b, other, f"b{number}")
        scene.publish(stream, {"a": on(a, topic), name: on(b, other)})
        running.await_among(written)
        scene.publish(stream, {"a": on(a, topic)})
        running.await_state(name, None)

    compare(ResourceCounter(spark, a, b), rounds, come_and_go)


@rounds(RESTARTS)
def test_a_query_that_is_restarted_leaves_nothing_behind(
    rounds: int, a: KafkaCluster, b: KafkaCluster, spark: SparkSession, scene: Scene, topic: str, tmp_path: Path
) -> None:
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})

    def load() -> DataFrame:
        return scene.read("orders").load()

    def restart(number: int) -> None:
        write(a, topic, f"a{number}")
        # Spark keeps what a query into memory has; this one keeps nothing.
        writer = load().writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
        query = writer.start()
        query.processAllAvailable()
        query.stop()

    compare(ResourceCounter(spark, a, b), rounds, restart)
