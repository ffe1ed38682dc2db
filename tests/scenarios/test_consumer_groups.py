"""A query begins exactly where a consumer group stopped, whoever committed and how."""

from collections import Counter
from collections.abc import Mapping

import pytest
from confluent_kafka import TopicPartition

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name
from tests.scenarios.consuming import consumer_of, subscribed, taken
from tests.scenarios.listing import on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Running
from tests.scenarios.scene import Scene
from tests.scenarios.test_open_transactions import transaction

PARTITIONS = 4


@pytest.fixture
def topic(a: KafkaCluster, b: KafkaCluster, fresh_name: Name) -> str:
    name = fresh_name("topic")
    for cluster in (a, b):
        cluster.create_topic(name, partitions=PARTITIONS)
    return name


def begun(scene: Scene, topic: str, group: str, **clusters: KafkaCluster) -> Running:
    """A new query of the topic on these clusters, where the group stopped."""
    scene.publish("orders", {name: on(cluster, topic) for name, cluster in clusters.items()})
    return scene.start(scene.read("orders").starting_offsets({"committed": group, "otherwise": "earliest"}).load())


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_what_a_group_has_read_and_not_committed_comes_again_and_what_it_has_committed_does_not(
    protocol: str, a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene, fresh_name: Name
) -> None:
    group, left = fresh_name("group"), Counter[str]()
    # On each cluster the group stands elsewhere, and of two partitions it has committed nothing.
    for cluster, count in ((a, 23), (b, 7)):
        for partition in range(PARTITIONS - 2):
            left.update(write(cluster, topic, *numbered(f"{cluster.name}{partition}-", 15), partition=partition))
        with subscribed(cluster, group, topic, enable_auto_commit=False, group_protocol=protocol) as consumer:
            left.subtract(taken(consumer, count))
            consumer.commit(asynchronous=False)
            assert len(taken(consumer, 3)) == 3
        left.update(write(cluster, topic, f"{cluster.name} of another partition", partition=PARTITIONS - 1))
        left.update(write(cluster, topic, *numbered(f"{cluster.name} later ", 3)))
    begun(scene, topic, group, a=a, b=b).await_values((+left).elements())


def flink_commits(cluster: KafkaCluster, group: str, topic: str, offsets: Mapping[int, int]) -> None:
    """Commits as Flink's connector does it: no member of the group, the next offset, and what Kafka keeps beside it."""
    consumer = consumer_of(cluster, group, enable_auto_commit=False)
    places = [
        TopicPartition(topic, number, offset, metadata="flink checkpoint 12", leader_epoch=0)
        for number, offset in offsets.items()
    ]
    committed = consumer.commit(offsets=places, asynchronous=False)
    assert [place.error for place in committed or []] == [None] * len(offsets)
    consumer.close()


def test_offsets_with_metadata_and_a_leader_epoch_count(
    a: KafkaCluster, topic: str, scene: Scene, fresh_name: Name
) -> None:
    group = fresh_name("group")
    for partition in range(PARTITIONS):
        write(a, topic, *numbered(f"{partition}-", 9), partition=partition)
    # All of partition 2 is read.
    flink_commits(a, group, topic, {0: 4, 1: 0, 2: 9})
    rest = [*numbered("0-", 9)[4:], *numbered("1-", 9), *numbered("3-", 9)]
    running = begun(scene, topic, group, a=a)
    running.await_values(rest)
    running.await_values(rest + write(a, topic, "2-9", partition=2))


def test_a_transaction_that_commits_offsets_of_the_group_is_waited_for(
    a: KafkaCluster, topic: str, scene: Scene, fresh_name: Name
) -> None:
    group, values = fresh_name("group"), numbered("0-", 9)
    write(a, topic, *values, partition=0)
    flink_commits(a, group, topic, dict.fromkeys(range(PARTITIONS), 0))
    consumer = consumer_of(a, group, enable_auto_commit=False)
    with transaction(a, topic) as open_one:
        places = [TopicPartition(topic, 0, 5)]
        open_one.send_offsets_to_transaction(places, consumer.consumer_group_metadata(), 30)
        running = begun(scene, topic, group, a=a)
        with pytest.raises(AssertionError):
            running.await_rows_of("a", 1, within=3)
        open_one.commit_transaction(30)
    consumer.close()
    running.await_values(values[5:])
