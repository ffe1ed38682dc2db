"""Properties of a cluster that change alone: they count at the next batch, for that cluster alone."""

import pytest
from dynamic_kafka import ClusterMetadata

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.conftest import Name
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.operating import Operator
from tests.scenarios.producing import write
from tests.scenarios.queries import Running
from tests.scenarios.scene import Scene


def warm(running: Running, expected: list[str], *clusters: tuple[KafkaCluster, str]) -> None:
    """Reads batch after batch until all connections are there that reading takes."""
    for turn in range(3):
        for cluster, topic in clusters:
            expected += write(cluster, topic, f"{cluster.name} {turn} {len(expected)}")
        running.await_values(expected)


@pytest.mark.slow
def test_a_property_that_changes_gives_its_cluster_new_clients_and_no_other(
    a: KafkaCluster, b: KafkaCluster, scene: Scene, topic: str, fresh_name: Name, jvm: DriverJvm
) -> None:
    def listed(**properties: str) -> dict[str, ClusterMetadata]:
        more = {name.replace("_", "."): value for name, value in properties.items()}
        return {
            "a": ClusterMetadata([topic], a.properties()),
            "b": ClusterMetadata([topic], {**b.properties(), **more}),
        }

    before = jvm.connections(a)  # of earlier queries, each closed at a time of its own
    scene.publish("orders", listed())
    running = scene.start(scene.read("orders").consumer_idle_timeout("6s").load())
    expected: list[str] = []
    warm(running, expected, (a, topic), (b, topic))
    kept, old = jvm.connections(a) - before, jvm.connections(b)
    assert kept
    assert old
    # A name of its own: alike consumers of an earlier query would be used again.
    scene.publish("orders", listed(client_rack=fresh_name("rack")))
    running.await_metric("lastTopologyChange", lambda seen: "reconnected=b" in (seen or ""))

    def replaced() -> set[int]:
        # Batches go on, which keeps the consumers of a in use.
        warm(running, expected, (a, topic), (b, topic))
        return old & jvm.connections(b)

    eventually("the old connections to b are closed", replaced, until=lambda left: not left, within=40)
    assert jvm.connections(b)
    assert kept <= jvm.connections(a)


def test_after_a_restart_only_the_address_that_is_listed_now_is_used(
    operator: Operator, b: KafkaCluster, jvm: DriverJvm
) -> None:
    operator.creates(b)
    operator.lists(b)
    running = operator.starts()
    expected = write(b, operator.topic, "1", "2")
    running.await_values(expected)
    running.stop_between_batches()
    eventually("nobody is connected", lambda: jvm.connections(b), until=lambda seen: not seen, within=20)
    # No batch is left over, and what comes next is planned and read by the new address alone.
    operator.lists(b=ClusterMetadata([operator.topic], {"bootstrap.servers": b.second_address}))
    running = operator.starts(after=running)
    for value in ("3", "4", "5"):
        expected += write(b, operator.topic, value)
        running.await_values(expected)
        assert not jvm.connections(b)
