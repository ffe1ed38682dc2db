"""Who a cluster and a topic are: wrong addresses, topics that are deleted and created again."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from dynamic_kafka import ClusterMetadata
from dynamic_kafka.errors import ClusterChangedError, TopicRecreatedError

from tests.cluster import KafkaCluster, KafkaClusters, ServerSettings, eventually
from tests.cluster.gate import HANG, Gate, Way
from tests.scenarios.conftest import Name
from tests.scenarios.listing import on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Running
from tests.scenarios.scene import Scene


def test_a_wrong_address_costs_no_position_and_once_mended_all_goes_on(
    a: KafkaCluster, b: KafkaCluster, scene: Scene, topic: str
) -> None:
    write(b, topic, *numbered("of another cluster ", 9))
    scene.publish("orders", {"a": on(a, topic)})
    builder = scene.read("orders").fail_on_data_loss(False)
    running = scene.start(builder.load())
    expected = write(a, topic, *numbered("first ", 3))
    running.await_values(expected)
    running.await_committed()
    scene.publish("orders", {"a": on(b, topic)})
    error = running.await_failure()
    assert isinstance(error, ClusterChangedError)
    skipping = scene.start(builder.unavailable_cluster_policy("skip").load(), after=running)
    skipping.await_state("a", "unavailable")
    expected += write(a, topic, *numbered("second ", 3))
    scene.publish("orders", {"a": on(a, topic)})
    skipping.await_values(expected)


def uncommitted(running: Running) -> list[str]:
    """Forgets the commit of the last batch of a query that has ended; gives the values that were read before it."""
    last = running.logged("commits")[-1]
    (running.checkpoint / "commits" / str(last)).unlink()
    (running.checkpoint / "commits" / f".{last}.crc").unlink(missing_ok=True)
    running.batches.pop(last)
    return running.values()


def test_an_uncommitted_batch_is_never_read_of_a_topic_created_anew(
    a: KafkaCluster, scene: Scene, fresh_name: Name
) -> None:
    stream, topic = fresh_name("left"), fresh_name("topic")
    a.create_topic(topic)
    write(a, topic, *numbered("", 5))
    scene.publish(stream, {"a": on(a, topic)})
    rows = scene.read(stream).load()
    running = scene.start(rows, availableNow=True)
    running.await_end()
    before = uncommitted(running)
    a.delete_topic(topic)
    a.create_topic(topic)
    anew = write(a, topic, *numbered("anew ", 9))
    strict = scene.start(rows, after=running, availableNow=True)
    error = strict.await_failure()
    assert isinstance(error, TopicRecreatedError)
    for word in (topic, "offsets=0 until 5", "failOnDataLoss"):
        assert word in str(error)
    assert strict.values() == before
    lenient = scene.read(stream).fail_on_data_loss(False).load()
    going_on = scene.start(lenient, after=strict)
    going_on.await_values(before + anew)
    going_on.await_metric("dataLossRecords", lambda seen: seen == "5")


@pytest.mark.parametrize("first", ["removed", "deleted"])
def test_a_topic_that_is_removed_and_deleted_in_either_order_and_comes_again_is_no_loss(
    first: str, a: KafkaCluster, b: KafkaCluster, scene: Scene, fresh_name: Name
) -> None:
    stream, kept, gone = fresh_name("coming"), fresh_name("kept"), fresh_name("gone")
    a.create_topic(kept)
    b.create_topic(gone)
    both, one = {"a": on(a, kept), "b": on(b, gone)}, {"a": on(a, kept)}
    scene.publish(stream, both)
    running = scene.start(scene.read(stream).load())
    expected = write(b, gone, *numbered("first ", 4))
    running.await_values(expected)
    running.await_state("b", "reading")
    if first == "deleted":
        b.delete_topic(gone)
        running.await_metric("missingTopics", lambda seen: seen not in (None, "0"))
        scene.publish(stream, one)
        running.await_state("b", None)
    else:
        scene.publish(stream, one)
        running.await_state("b", None)
        b.delete_topic(gone)
    scene.publish(stream, both)
    running.await_metric("missingTopics", lambda seen: seen not in (None, "0"))
    b.create_topic(gone)
    expected += write(b, gone, *numbered("second ", 2)) + write(a, kept, "goes on")
    running.await_values(expected)


@dataclass(frozen=True)
class OneAddress:
    """Two Kafka clusters, each of which would answer at this port."""

    port: int
    right: KafkaCluster
    wrong: KafkaCluster

    def to(self, cluster: KafkaCluster) -> Gate:
        return Gate(self.port, cluster.port("SHARED"))


@pytest.fixture(scope="module")
def one_address() -> Iterator[OneAddress]:
    with KafkaClusters() as clusters:
        port = clusters.port()
        settings = ServerSettings(advertised_ports={"SHARED": port})
        yield OneAddress(port, *clusters.start("right", "wrong", settings=settings))


@pytest.mark.parametrize("policy", ["fail", "skip"])
@pytest.mark.parametrize("way", [HANG, Way(passes=40_000)], ids=["before it is read", "while it is read"])
def test_an_address_that_moves_to_another_cluster_once_a_batch_is_planned_gives_no_row_of_that_cluster(
    way: Way, policy: str, one_address: OneAddress, scene: Scene, fresh_name: Name
) -> None:
    topic, right, wrong = fresh_name("topic"), one_address.right, one_address.wrong
    for cluster in (right, wrong):
        cluster.create_topic(topic)
    expected = write(right, topic, *(f"right {number:01000}" for number in range(200)))
    write(wrong, topic, *(f"wrong {number:01000}" for number in range(300)))
    builder = scene.read("moved").fail_on_data_loss(False).option("unavailableClusterPolicy", policy)
    rows = builder.kafka_property("max.partition.fetch.bytes", "10000").load()
    with one_address.to(right) as gate:
        scene.publish("moved", {"m": ClusterMetadata([topic], {"bootstrap.servers": gate.address})})
        gate.turn_at_fetch(way)
        running = scene.start(rows)
        eventually("the batch is being read", lambda: gate.way, until=lambda seen: seen is way, within=20)
    with one_address.to(wrong):
        error = running.await_failure()
        assert isinstance(error, ClusterChangedError)
        for word in (right.kafka_id, wrong.kafka_id, "cluster m", "executor", "offsets=0 until 200"):
            assert word in str(error)
        assert running.values() == []
    with one_address.to(right):
        again = scene.start(rows, after=running)
        again.await_values(expected)
        again.stop()


def test_a_planned_swap_behind_an_address_to_a_mirror_goes_on_under_a_new_id(
    one_address: OneAddress, scene: Scene, fresh_name: Name
) -> None:
    topic, old, mirror = fresh_name("topic"), one_address.right, one_address.wrong
    for cluster in (old, mirror):
        cluster.create_topic(topic)
        expected = write(cluster, topic, *numbered("mirrored ", 20))
    rows = scene.read("swapped").option("unavailableClusterPolicy", "skip").load()
    with one_address.to(old) as gate:
        here = {"bootstrap.servers": gate.address}
        scene.publish("swapped", {"eu-1": ClusterMetadata([topic], here)})
        running = scene.start(rows)
        running.await_values(expected)
    with one_address.to(mirror):
        # At offsets that the old one may have given out, too.
        expected += write(mirror, topic, *numbered("since the swap ", 5))
        running.await_metric("cluster.eu-1.cause", lambda seen: "CLUSTER_CHANGED" in (seen or ""))
        scene.publish("swapped", {"eu-2": ClusterMetadata([topic], here, continues="eu-1")})
        running.await_state("eu-2", "reading")
        running.await_values(expected)
        assert {row["cluster"] for row in running.rows()[20:]} == {"eu-2"}
        running.await_metric("abandonedRecords", lambda seen: seen == "0")
        running.await_values(expected + write(mirror, topic, "and on"))
        running.stop()
