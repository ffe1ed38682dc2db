"""What the mirror of the tests promises: the same records at the same offsets, when it is asked to."""

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

from tests.cluster import KafkaCluster, KafkaClusters, Record
from tests.cluster.mirror import Mirror, await_ends

Fresh = Callable[[str], str]
PARTITIONS = 2


@pytest.fixture
def orders(clusters: KafkaClusters, fresh_name: Fresh) -> str:
    """A topic of the same name on a and on b."""
    name = fresh_name("orders")
    for cluster in ("a", "b"):
        # The records are of another year.
        clusters.get(cluster).create_topic(name, partitions=PARTITIONS, config={"retention.ms": "-1"})
    return name


def write(cluster: KafkaCluster, topic: str, prefix: str, count: int) -> None:
    cluster.produce(
        topic,
        [
            Record(f"k{number}", f"{prefix}{number}", (("h", b"x"),), 1_700_000_000_000 + number, number % PARTITIONS)
            for number in range(count)
        ],
    )


def held(cluster: KafkaCluster, topic: str) -> list[Any]:
    """All that is there, with its place."""
    client = {"bootstrap.servers": cluster.second_address, "group.id": "unused", "enable.partition.eof": True}
    consumer = Consumer({**client, "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(PARTITIONS)])
    found, left = list[Any](), PARTITIONS
    while left:
        message = consumer.poll(30)
        assert message is not None, "no answer"
        error = message.error()
        if error is None:
            place = (message.partition() or 0, message.offset() or 0)
            found.append((*place, message.key(), message.value(), message.headers(), message.timestamp()))
        elif error.code() == KafkaError._PARTITION_EOF:
            left -= 1
        else:
            raise KafkaException(error)
    consumer.close()
    return sorted(found, key=lambda record: record[:2])


def test_a_mirror_holds_the_same_records_at_the_same_offsets_and_so_it_does_on_the_way_back(
    clusters: KafkaClusters, orders: str
) -> None:
    a, b = clusters.get("a"), clusters.get("b")
    write(a, orders, "before ", 30)
    with Mirror(a, b, orders) as mirror:
        write(a, orders, "meanwhile ", 30)
        mirror.await_caught_up()
    assert held(a, orders) == held(b, orders)
    assert len(held(a, orders)) == 60
    write(b, orders, "only here ", 7)
    with Mirror(b, a, orders) as back:
        back.await_caught_up()
    assert held(a, orders) == held(b, orders)


def test_paused_it_copies_nothing_and_goes_on_where_it_was(clusters: KafkaClusters, orders: str) -> None:
    a, b = clusters.get("a"), clusters.get("b")
    write(a, orders, "first ", 10)
    with Mirror(a, b, orders) as mirror:
        mirror.await_caught_up()
        ended = mirror.pause()
        assert ended == b.end_offsets(orders) == {0: 5, 1: 5}
        write(a, orders, "second ", 10)
        with pytest.raises(AssertionError, match="has caught up"):
            mirror.await_caught_up(within=0.5)
        assert b.end_offsets(orders) == ended
        mirror.resume()
        await_ends(b, orders, {0: 10, 1: 10})
    assert held(a, orders) == held(b, orders)


def test_a_gap_is_an_error(clusters: KafkaClusters, orders: str) -> None:
    a, b = clusters.get("a"), clusters.get("b")
    for _ in range(2):
        # The marker of the first one lies between the two.
        a.produce(orders, [Record("k", "v", partition=0)], transaction="commit")
    with pytest.raises(RuntimeError, match="gap: 2 follows 1 in 0"), Mirror(a, b, orders) as mirror:
        mirror.await_caught_up()
