"""Positions of finished batches, as other clients see them: librdkafka, and Kafka's own `kafka-consumer-groups.sh`."""

import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from confluent_kafka import Consumer
from dynamic_kafka import DynamicKafkaSourceBuilder

from tests.cluster import KafkaCluster, eventually
from tests.cluster.process_broker import kafka
from tests.cluster.versions import NEWEST
from tests.scenarios.conftest import Name
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Queries
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog

_TOOL = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
_COLUMNS = ("PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG")


@pytest.fixture
def topic(a: KafkaCluster, b: KafkaCluster, topic: str, program: ProgramListing) -> str:
    """The usual one, which is the stream `orders`; both clusters can take commits at once."""
    for cluster in (a, b):
        cluster.commit("another", topic, {0: 0})
    program.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    return topic


@pytest.fixture
def group(fresh_name: Name) -> str:
    return fresh_name("group")


@pytest.fixture
def orders(scene: Scene, group: str) -> DynamicKafkaSourceBuilder:
    return scene.read("orders").commit_offsets(True).kafka_property("group.id", group)


def shown(cluster: KafkaCluster, group: str) -> list[tuple[int, ...]]:
    """By partition what Kafka's tool shows: the position, the end of the log, and the lag."""
    command = kafka(NEWEST).command(_TOOL)
    arguments = ["--bootstrap-server", cluster.properties()["bootstrap.servers"], "--describe", "--group", group]
    done = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True, timeout=60)
    lines = [line.split() for line in done.stdout.splitlines() if line.strip()]
    head, *rows = [words for words in lines if "active" not in words]  # it says that the group has no active members
    return [tuple(int(row[head.index(name)]) for name in _COLUMNS) for row in rows]


def await_commits(cluster: KafkaCluster, group: str, topic: str, expected: dict[int, int]) -> None:
    eventually(
        f"group {group} has its positions on {cluster.name}",
        lambda: cluster.committed(group, topic),
        until=lambda seen: seen == expected,
        within=40,
    )


@contextmanager
def member(cluster: KafkaCluster, group: str, topic: str) -> Iterator[None]:
    """Another application that consumes as a member of the group."""
    settings = {"bootstrap.servers": cluster.properties()["bootstrap.servers"], "group.id": group}
    with closing(Consumer({**settings, "enable.auto.commit": False})) as consumer:
        consumer.subscribe([topic])
        eventually(
            f"the consumer is a member of group {group}",
            lambda: (consumer.poll(0.2), consumer.assignment())[1],
            until=bool,
            within=60,
        )
        yield


def test_a_run_publishes_how_far_it_has_read_with_its_last_batch_and_kafkas_own_tool_shows_it(
    a: KafkaCluster, b: KafkaCluster, topic: str, group: str, orders: DynamicKafkaSourceBuilder, queries: Queries
) -> None:
    expected = write(a, topic, *numbered("a", 5)) + write(b, topic, *numbered("b", 3))
    running = queries.start(orders.max_offsets_per_trigger(3).load(), availableNow=True)
    running.await_end()
    assert sorted(running.values()) == sorted(expected)
    assert running.metrics()["commitsFailed"] == "0"
    assert (a.committed(group, topic), b.committed(group, topic)) == ({0: 5}, {0: 3})
    write(b, topic, "later")
    assert shown(b, group) == [(0, 3, 4, 1)]


def test_positions_are_published_when_their_batch_is_finished_though_the_next_trigger_is_far(
    a: KafkaCluster, b: KafkaCluster, topic: str, group: str, orders: DynamicKafkaSourceBuilder, queries: Queries
) -> None:
    expected = write(a, topic, "a0", "a1")
    running = queries.start(orders.load(), processingTime="1 hour")
    running.await_values(expected)
    await_commits(a, group, topic, {0: 2})
    await_commits(b, group, topic, {0: 0})
    running.is_not_looked_at_again("its next trigger is an hour away")


def test_a_cluster_that_is_removed_keeps_the_position_to_which_it_was_drained(
    a: KafkaCluster,
    b: KafkaCluster,
    topic: str,
    group: str,
    orders: DynamicKafkaSourceBuilder,
    program: ProgramListing,
    queries: Queries,
) -> None:
    running = queries.start(orders.max_offsets_per_trigger(2).load())
    await_commits(b, group, topic, {0: 0})
    expected = write(b, topic, *numbered("b", 9))
    program.publish("orders", {"a": on(a, topic)})
    running.await_state("b", None)
    expected += write(a, topic, "a")
    running.await_values(expected)
    await_commits(a, group, topic, {0: 1})
    assert b.committed(group, topic) == {0: 9}


def test_a_group_with_a_member_refuses_positions_and_the_query_goes_on(
    a: KafkaCluster,
    b: KafkaCluster,
    topic: str,
    group: str,
    orders: DynamicKafkaSourceBuilder,
    queries: Queries,
    log: SessionLog,
) -> None:
    with member(a, group, topic):
        expected = write(a, topic, "a0") + write(b, topic, "b0")
        running = queries.start(orders.load())
        running.await_values(expected)
        running.await_metric("commitsFailed", lambda seen: seen not in (None, "0"))
        await_commits(b, group, topic, {0: 1})
        assert a.committed(group, topic) == {}
        expected += write(a, topic, "a1") + write(b, topic, "b1")
        running.await_values(expected)
        await_commits(b, group, topic, {0: 2})
        assert len(log.lines(f"Cluster a refuses positions of group {group}: an application is an active member")) == 1
    await_commits(a, group, topic, {0: 2})
