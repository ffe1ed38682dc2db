"""What the clusters of the tests promise."""

import time
from collections.abc import Callable

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from tests.cluster import KafkaCluster, KafkaClusters, eventually

Fresh = Callable[[str], str]


def values(cluster: KafkaCluster, topic: str, partition: int = 0, *, committed_only: bool = True) -> list[bytes | None]:
    """All values of a partition, in order."""
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": "unused",
            "isolation.level": "read_committed" if committed_only else "read_uncommitted",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, partition, cluster.beginning_offsets(topic)[partition])])
    found = []
    while (message := consumer.poll(10)) is not None and message.error() is None:
        found.append(message.value())
    consumer.close()
    return found


def test_a_killed_cluster_keeps_data_and_address(clusters: KafkaClusters, fresh_name: Fresh) -> None:
    a, orders = clusters.get("a"), fresh_name("orders")
    a.create_topic(orders)
    a.produce(orders, [("k", "before")])
    address, kafka_id = a.bootstrap_servers, a.kafka_id
    a.kill()
    assert not a.is_up()
    a.start()
    a.produce(orders, [("k", "after")])
    assert values(a, orders) == [b"before", b"after"]
    assert (a.bootstrap_servers, a.kafka_id) == (address, kafka_id)


def test_requests_to_a_paused_cluster_time_out(clusters: KafkaClusters) -> None:
    a = clusters.get("a")
    client = AdminClient({"bootstrap.servers": a.bootstrap_servers})
    client.list_topics(timeout=10)
    a.pause()
    began = time.monotonic()
    with pytest.raises(KafkaException):
        client.list_topics(timeout=1)
    assert time.monotonic() - began >= 1
    assert not a.is_up()
    a.resume()
    # After a while without a sign of life its controller leaves it out, until it hears of it again.
    eventually("it names itself again", lambda: bool(client.list_topics(timeout=10).brokers), within=20)


def test_what_one_test_broke_is_whole_for_the_next(clusters: KafkaClusters) -> None:
    clusters.get("a").pause()
    clusters.get("b").kill()
    clusters.get("c").stop()
    clusters.heal()
    eventually("all are up", lambda: all(cluster.is_up() for cluster in clusters), within=20)


def test_a_rebuilt_cluster_is_another_one_at_the_same_address(clusters: KafkaClusters, fresh_name: Fresh) -> None:
    c, orders = clusters.get("c"), fresh_name("orders")
    c.create_topic(orders)
    c.produce(orders, [("k", "old")])
    address, kafka_id = c.bootstrap_servers, c.kafka_id
    c.rebuild()
    assert c.topics() == set()
    assert c.bootstrap_servers == address
    assert c.kafka_id != kafka_id
    c.create_topic(orders)
    c.produce(orders, [("k", "new")])
    assert values(c, orders) == [b"new"]
