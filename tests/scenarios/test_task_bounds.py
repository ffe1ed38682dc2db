"""What one task takes of memory and of connections, whatever the number of partitions."""

import random
from collections import Counter
from collections.abc import Callable

import pytest
from dynamic_kafka import DynamicKafkaSourceBuilder
from pyspark.sql import DataFrame, SparkSession

from tests.cluster import KafkaCluster, Record
from tests.scenarios.conftest import Name
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.listing import on
from tests.scenarios.scene import Scene

Read = Callable[..., DynamicKafkaSourceBuilder]

MIB = 1 << 20
# How much is asked for of a partition at a time, and a value of which it holds some; bytes. It counts 2 MiB, though.
ASKED, VALUE = 65_536, 16_000
PARTITIONS, ROUNDS = 60, 6


@pytest.fixture
def read(a: KafkaCluster, scene: Scene) -> Read:
    """A batch read of a topic on a by consumers whose client ids begin so."""

    def make(topic: str, prefix: str) -> DynamicKafkaSourceBuilder:
        scene.publish("orders", {"a": on(a, topic)})
        # Their consumers are looked at once they are through.
        return scene.read("orders").bounded().group_id_prefix(prefix).consumer_idle_timeout("8s")

    return make


@pytest.fixture
def filled(a: KafkaCluster, fresh_name: Name) -> str:
    """A topic whose partitions hold more than is asked for, in batches of one record each that do not compress."""
    chance, name = random.Random(7), fresh_name("filled")
    a.create_topic(name, partitions=PARTITIONS)
    for _ in range(ROUNDS):
        a.produce(name, [Record(None, chance.randbytes(VALUE), partition=n) for n in range(PARTITIONS)])
    return name


def test_a_task_fetches_no_more_at_a_time_than_its_limit_and_still_reads_all(
    filled: str, read: Read, fresh_name: Name, spark: SparkSession
) -> None:
    jvm = DriverJvm(spark)

    def limited(prefix: str, limit: int) -> DataFrame:
        builder = read(filled, prefix).kafka_property("max.partition.fetch.bytes", ASKED)
        return builder.max_fetch_bytes_per_task(limit).load()

    def received_at_first_row(prefix: str, limit: int) -> float:
        assert len(limited(prefix, limit).take(1)) == 1
        (received,) = jvm.consumer_figures(prefix, "consumer-metrics", "incoming-byte-total")
        return received

    # All of a task, which are half of them at least, are asked at once where they fit; four, and a little for the topic
    # itself, where no more do.
    assert received_at_first_row(fresh_name("all"), 256 * MIB) > PARTITIONS // 4 * ASKED
    assert received_at_first_row(fresh_name("four"), 8 * MIB) < 5 * ASKED

    # With the least of limits one after the other, from the first to the last.
    one = fresh_name("one")
    rows = limited(one, 1).select("partition", "offset").collect()
    assert Counter((row[0], row[1]) for row in rows) == Counter(
        (partition, offset) for partition in range(PARTITIONS) for offset in range(ROUNDS)
    )
    largest = jvm.consumer_figures(one, "consumer-fetch-manager-metrics", "fetch-size-max")
    assert 0 < max(largest) <= ASKED


def test_without_room_on_its_executor_each_task_fetches_one_partition_at_a_time_and_still_reads_all(
    filled: str, read: Read, fresh_name: Name, spark: SparkSession
) -> None:
    prefix = fresh_name("executor")
    builder = read(filled, prefix).kafka_property("max.partition.fetch.bytes", ASKED)
    limited = builder.max_fetch_bytes_per_executor(1).load()
    # The second time idle consumers have to let go of what they hold, which are the first read's own.
    for _ in range(2):
        rows = limited.select("partition", "offset").collect()
        assert Counter((row[0], row[1]) for row in rows) == Counter(
            (partition, offset) for partition in range(PARTITIONS) for offset in range(ROUNDS)
        )
    largest = DriverJvm(spark).consumer_figures(prefix, "consumer-fetch-manager-metrics", "fetch-size-max")
    assert 0 < max(largest) <= ASKED


def test_connections_go_by_clusters_and_tasks_at_a_time_not_by_partitions(
    a: KafkaCluster, read: Read, fresh_name: Name, spark: SparkSession
) -> None:
    jvm = DriverJvm(spark)
    # A client has one to the address that it was given and one to each broker; of clients there are the driver's, and
    # one for each of the tasks that run at a time.
    most = 2 * (1 + spark.sparkContext.defaultParallelism)
    for partitions in (4, 64):
        topic, prefix = fresh_name("connections"), fresh_name("prefix")
        a.create_topic(topic, partitions=partitions)
        a.produce(topic, [Record(None, f"{n}", partition=n) for n in range(partitions)])
        before = jvm.connections(a)
        rows = read(topic, prefix).min_partitions(partitions // 2).load().select("value").collect()
        assert len(rows) == partitions
        assert 0 < len(jvm.connections(a) - before) <= most
