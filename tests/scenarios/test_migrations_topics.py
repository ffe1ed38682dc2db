"""Topics and streams that come, go and change: recipes of docs/migrations.md, each by the test of its name."""

import pytest

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name
from tests.scenarios.listing import on
from tests.scenarios.operating import Operator
from tests.scenarios.producing import IdProducer, numbered, write
from tests.scenarios.session_log import SessionLog


@pytest.fixture
def other(a: KafkaCluster, operator: Operator, fresh_name: Name) -> str:
    """Another topic on a, beside the one of the stream."""
    operator.creates(a)
    name = fresh_name("other")
    a.create_topic(name)
    return name


def test_delete_a_topic(operator: Operator, other: str, a: KafkaCluster, log: SessionLog, fresh_name: Name) -> None:
    third = fresh_name("third")
    a.create_topic(third)
    operator.lists(a=on(a, operator.topic, other, third))
    with IdProducer((a, operator.topic), (a, other), (a, third)) as ids:
        running = operator.starts()
        running.await_rows_of("a", 30)
        ids.move((a, operator.topic))
        # In good order: from the metadata, then in Kafka.
        operator.lists(a=on(a, operator.topic, third))
        log.await_line(f"drain ended cluster=a .*topic={other}")
        a.delete_topic(other)
        # The other way round.
        running.await_metric("pendingRecords", lambda seen: seen == "0")
        a.delete_topic(third)
        running.await_metric("missingTopics", lambda seen: seen == "1")
        assert third in log.await_line("TOPIC_NOT_FOUND")
        operator.lists(a)
        running.await_metric("missingTopics", lambda seen: seen == "0")
        running.await_rows_of("a", 10)
    running.await_values(ids.written())
    assert running.metrics()["dataLossRecords"] == "0"


def test_create_a_topic_anew(operator: Operator, other: str, a: KafkaCluster, log: SessionLog) -> None:
    both = on(a, operator.topic, other)
    operator.lists(a=both)
    with IdProducer((a, operator.topic), (a, other)) as ids:
        running = operator.starts()
        running.await_rows_of("a", 20)
        ids.move((a, operator.topic))
        operator.lists(a)
        log.await_line(f"drain ended cluster=a .*topic={other}")
        a.delete_topic(other)
        a.create_topic(other, partitions=3)
        anew = write(a, other, *numbered("anew ", 30))
        operator.lists(a=both)
        running.await_rows_of("a", len(anew))
    running.await_values(ids.written() + anew)
    assert running.metrics()["dataLossRecords"] == "0"


def test_add_partitions(operator: Operator, a: KafkaCluster) -> None:
    operator.creates(a, partitions=1)
    left_out = write(a, operator.topic, *numbered("before the query ", 20))
    operator.lists(a)
    running = operator.starts(operator.read().starting_offsets("latest"))
    running.await_state("a", "reading")
    with operator.producing(a) as ids:
        running.await_rows_of("a")
        a.add_partitions(operator.topic, 3)
        added = [write(a, operator.topic, f"in {partition}", partition=partition)[0] for partition in (1, 2)]
        running.await_metric("activeSplitCount", lambda seen: seen == "3")
        running.await_rows_of("a", 10)
    running.await_values(ids.written() + added)
    assert not set(left_out) & set(running.values())


def test_give_a_stream_another_id(operator: Operator, a: KafkaCluster) -> None:
    operator.creates(a)
    here = {"a": operator.on(a)}
    operator.lists_streams(orders=here)
    with operator.producing(a) as ids:
        running = operator.starts(operator.read("orders"))
        running.await_rows_of("a")
        # Both ids, for as long as the query asks for the old one.
        operator.lists_streams(orders=here, purchases=here)
        running.stop()
        running = operator.starts(operator.read("purchases"), after=running)
        running.await_rows_of("a")
        operator.lists_streams(purchases=here)
        running.await_rows_of("a", 20)
    running.await_values(ids.written())
    assert [row["stream"] for row in running.rows()][:: len(running.rows()) - 1] == ["orders", "purchases"]


def test_choose_streams_by_a_pattern(operator: Operator, other: str, a: KafkaCluster, log: SessionLog) -> None:
    eu, us = {"a": operator.on(a)}, {"a": on(a, other)}
    operator.lists_streams(orders_eu=eu, refunds_us=us)
    with IdProducer((a, operator.topic), (a, other)) as ids:
        running = operator.starts(operator.read_chosen().stream_pattern("orders_.*"))
        running.await_rows_of("a")
        operator.lists_streams(orders_eu=eu, orders_us=us)
        running.await_metric("activeSplitCount", lambda seen: seen == "3")
        # One that matches no more is a removal; none at all is an empty topology, and no failure.
        operator.lists_streams(orders_us=us)
        log.await_line(f"drain ended cluster=a .*topic={operator.topic}")
        operator.lists_streams(refunds_us=us)
        running.await_metric("kafkaClustersCount", lambda seen: seen == "0")
        operator.lists_streams(orders_eu=eu, orders_us=us)
        running.await_rows_of("a", 20)
    running.await_values(ids.written())
    assert {row["stream"] for row in running.rows()} == {"orders_eu", "orders_us"}
