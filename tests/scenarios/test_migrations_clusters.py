"""Clusters that come, go and return: each test is the recipe of docs/migrations.md with its name."""

from collections import Counter

import pytest

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.listing import on
from tests.scenarios.operating import Operator
from tests.scenarios.producing import numbered, write
from tests.scenarios.session_log import SessionLog


@pytest.fixture
def topic(operator: Operator, a: KafkaCluster, b: KafkaCluster) -> str:
    """The topic of the stream, created on a and on b."""
    operator.creates(a, b)
    return operator.topic


def test_add_an_empty_cluster(
    operator: Operator, topic: str, a: KafkaCluster, b: KafkaCluster, log: SessionLog
) -> None:
    operator.lists(a)
    with operator.producing(a) as ids:
        running = operator.starts()
        running.await_rows_of("a")
        operator.lists(a, b)
        log.await_line("topology appeared=b .*clusters=2")
        ids.move(*operator.writes_to(a, b))
        running.await_rows_of("b", 20)
        running.await_state("b", "reading")
    running.await_values(ids.written())


def test_add_a_cluster_that_is_full(operator: Operator, topic: str, a: KafkaCluster, b: KafkaCluster) -> None:
    before = write(b, topic, *numbered("before ", 300))
    operator.lists(a)
    with operator.producing(a) as ids:
        running = operator.starts(operator.read().max_offsets_per_trigger(100))
        running.await_rows_of("a")
        operator.lists(a, b)
        running.await_metric("cluster.b.pendingRecords", lambda seen: seen not in (None, "0"))
        # The backlog takes its share of each batch, and holds nobody up.
        running.await_rows_of("a")
        running.await_metric("cluster.b.pendingRecords", lambda seen: seen == "0")
        ids.move(*operator.writes_to(a, b))
        running.await_rows_of("b", 20)
    running.await_values(before + ids.written())


def test_add_a_cluster_for_its_new_records_alone(
    operator: Operator, topic: str, a: KafkaCluster, b: KafkaCluster
) -> None:
    left_out = write(b, topic, *numbered("before ", 50))
    operator.lists(a)
    with operator.producing(a) as ids:
        running = operator.starts()
        running.await_rows_of("a")
        operator.lists(a, b=operator.on(b, starting="latest"))
        running.await_state("b", "reading")
        ids.move(*operator.writes_to(a, b))
        running.await_rows_of("b", 20)
    running.await_values(ids.written())
    assert not set(left_out) & set(running.values())


def test_take_a_cluster_out(operator: Operator, topic: str, a: KafkaCluster, b: KafkaCluster, log: SessionLog) -> None:
    operator.lists(a, b)
    with operator.producing(b) as ids:
        ids.await_more(60)
        running = operator.starts(operator.read().max_offsets_per_trigger(10))
        running.await_rows_of("b")
        ids.move(*operator.writes_to(a))
        operator.lists(a, b=on(b))
        running.await_state("b", "draining")
        # Listed without topics the drain outlives a restart.
        running.stop()
        running = operator.starts(operator.read().max_offsets_per_trigger(200), after=running)
        assert "recordsBeyond=0" in log.await_line(f"drain ended cluster=b .*topic={topic}")
        operator.lists(a)
        running.await_state("b", None)
        running.await_rows_of("a")
    running.await_values(ids.written())


def test_take_a_cluster_out_at_once(operator: Operator, topic: str, a: KafkaCluster, b: KafkaCluster) -> None:
    operator.lists(a, b)
    backlog = write(b, topic, *numbered("backlog ", 500))
    with operator.producing(a) as ids:
        running = operator.starts(operator.read().removed_cluster_policy("stop").max_offsets_per_trigger(20))
        running.await_rows_of("b")
        operator.lists(a)
        running.await_state("b", None)
        running.await_rows_of("a")
        read = [value for value in running.values() if value in backlog]
        ids.await_more(20)
        running.await_rows_of("a")
    running.stop()
    running = operator.starts(after=running)
    running.await_values(ids.written() + read)
    assert 0 < len(read) < len(backlog), "the rest of its backlog is left out"


def test_put_a_cluster_back(operator: Operator, topic: str, a: KafkaCluster, b: KafkaCluster) -> None:
    operator.lists(a, b)
    with operator.producing(a, b) as ids:
        running = operator.starts()
        running.await_rows_of("b")
        operator.lists(a)
        running.await_state("b", None)
        # Producers of b go on meanwhile.
        ids.await_more(20)
        operator.lists(a, b)
        running.await_rows_of("b", 10)
    running.await_values(ids.written())


def test_put_a_cluster_back_after_its_retention(
    operator: Operator, topic: str, a: KafkaCluster, b: KafkaCluster
) -> None:
    again = write(b, topic, *numbered("read twice ", 10))
    operator.lists(a, b)
    with operator.producing(a) as ids:
        running = operator.starts(operator.read().removed_cluster_retention("1s"))
        running.await_among(again)
        operator.lists(a)
        eventually(
            "the positions of b are forgotten",
            lambda: running.offset()["clusters"],
            until=lambda held: "b" not in held,
            within=40,
        )
        operator.lists(a, b)
        running.await_among(again + again)
        ids.move(*operator.writes_to(a, b))
        running.await_rows_of("b", 10)
    running.await_values(ids.written() + again + again)


def test_roll_out_metadata_that_flaps(operator: Operator, topic: str, a: KafkaCluster, b: KafkaCluster) -> None:
    operator.lists(a, b)
    with operator.producing(a, b) as ids:
        running = operator.starts()
        running.await_rows_of("b")
        for _ in range(2):
            operator.lists(a)
            running.await_metric("kafkaClustersCount", lambda seen: seen == "1")
            operator.lists(a, b)
            running.await_state("b", "reading")
        running.await_rows_of("b", 10)
    running.await_values(ids.written())
    held = running.offset()["clusters"]["b"]["topics"][topic]["partitions"].values()
    assert Counter(position[2] for position in held) == {0: 2}
