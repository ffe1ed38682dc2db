"""What the clusters of the tests promise. Leaves out containers, which need an engine."""

import time
from collections.abc import Callable

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from tests.cluster import KafkaCluster, KafkaClusters, Record, ServerSettings, eventually

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


def test_the_same_topic_on_two_clusters_holds_different_records(clusters: KafkaClusters, fresh_name: Fresh) -> None:
    orders = fresh_name("orders")
    for name in ("a", "b"):
        clusters.get(name).create_topic(orders)
        clusters.get(name).produce(orders, [("k", f"from {name}")])
    assert values(clusters.get("a"), orders) == [b"from a"]
    assert values(clusters.get("b"), orders) == [b"from b"]
    assert clusters.get("a").kafka_id != clusters.get("b").kafka_id


def test_kafka_ids_are_those_that_the_brokers_give(clusters: KafkaClusters) -> None:
    for cluster in clusters:
        client = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
        assert client.describe_cluster().result().cluster_id == cluster.kafka_id


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


def test_a_stopped_cluster_keeps_data(clusters: KafkaClusters, fresh_name: Fresh) -> None:
    b, orders = clusters.get("b"), fresh_name("orders")
    b.create_topic(orders)
    b.produce(orders, [("k", "before")])
    b.restart()
    assert b.end_offsets(orders) == {0: 1}


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


def test_a_topic_created_again_has_another_id_and_no_records(clusters: KafkaClusters, fresh_name: Fresh) -> None:
    a, orders = clusters.get("a"), fresh_name("orders")
    a.create_topic(orders)
    a.produce(orders, [("k", "old")])
    old = a.topic_id(orders)
    a.delete_topic(orders)
    a.create_topic(orders)
    assert a.topic_id(orders) != old
    assert a.end_offsets(orders) == {0: 0}
    a.produce(orders, [("k", "new")])
    assert values(a, orders) == [b"new"]


def test_partitions_are_added_and_records_deleted(clusters: KafkaClusters, fresh_name: Fresh) -> None:
    a, orders = clusters.get("a"), fresh_name("orders")
    a.create_topic(orders, config={"retention.ms": "-1"})  # one record is of another year
    a.produce(orders, [("k", str(number)) for number in range(5)])
    a.add_partitions(orders, 3)
    a.produce(orders, [Record("k", "v", headers=(("h", b"x"),), timestamp_ms=1_700_000_000_000, partition=2)])
    assert a.end_offsets(orders) == {0: 5, 1: 0, 2: 1}
    a.delete_records(orders, {0: 3})
    assert a.beginning_offsets(orders) == {0: 3, 1: 0, 2: 0}


def test_an_aborted_transaction_leaves_offsets_and_no_records(clusters: KafkaClusters, fresh_name: Fresh) -> None:
    a, orders = clusters.get("a"), fresh_name("orders")
    a.create_topic(orders)
    a.produce(orders, [("k", "aborted")], transaction="abort")
    a.produce(orders, [("k", "committed")], transaction="commit")
    assert values(a, orders) == [b"committed"]
    assert a.end_offsets(orders) == {0: 4}  # two records and two markers


def test_commits_of_a_group_are_read_back(clusters: KafkaClusters, fresh_name: Fresh) -> None:
    a, orders, group = clusters.get("a"), fresh_name("orders"), fresh_name("group")
    a.create_topic(orders, partitions=2)
    assert a.committed(group, orders) == {}
    a.commit(group, orders, {1: 0})
    assert a.committed(group, orders) == {1: 0}


def test_a_cluster_with_users_asks_for_the_present_password(own_clusters: KafkaClusters) -> None:
    (safe,) = own_clusters.start("safe", settings=ServerSettings(users={"alice": "first"}))
    safe.create_topic("orders")
    assert 'password="first"' in safe.properties("alice")["sasl.jaas.config"]
    becomes(True, lambda: logs_in(safe, "alice", "first"))
    safe.set_password("alice", "second")
    becomes(True, lambda: logs_in(safe, "alice", "second"))
    assert not logs_in(safe, "alice", "first")
    safe.forbid("alice", "orders")
    becomes(False, lambda: sees(safe, "alice", "second", "orders"))
    safe.permit("alice", "orders")
    becomes(True, lambda: sees(safe, "alice", "second", "orders"))


def becomes(wanted: bool, look: Callable[[], bool]) -> None:
    """Brokers act upon what they have confirmed a moment later."""
    eventually(f"it becomes {wanted}", lambda: [look()], until=lambda seen: seen == [wanted], within=20)


def client_of(cluster: KafkaCluster, user: str, password: str) -> AdminClient:
    return AdminClient(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "SCRAM-SHA-256",
            "sasl.username": user,
            "sasl.password": password,
            "log_level": 0,
        }
    )


def logs_in(cluster: KafkaCluster, user: str, password: str) -> bool:
    try:
        return bool(client_of(cluster, user, password).list_topics(timeout=3).brokers)
    except KafkaException:
        return False


def sees(cluster: KafkaCluster, user: str, password: str, topic: str) -> bool:
    return topic in client_of(cluster, user, password).list_topics(timeout=10).topics
