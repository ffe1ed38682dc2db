"""The kit for users' tests: what it promises beside the test that docs/testing.md shows."""

from collections.abc import Callable

import pytest
from dynamic_kafka import ClusterMetadata, KafkaStream, YamlFileMetadataService
from dynamic_kafka.testing import KafkaTestbed, Record, assert_each_once

from tests.scenarios.conftest import Source
from tests.scenarios.queries import Queries, Running

pytestmark = pytest.mark.slow


def values_of(running: Running) -> Callable[[], list[str]]:
    return running.values


# The second time it finds the topic that the first one left, with other records.
@pytest.mark.parametrize("time", ["first", "second"])
def test_a_stream_moves_there_and_back_by_its_file_and_each_test_begins_anew(
    time: str, kafka_testbed: KafkaTestbed, queries: Queries, source: Source
) -> None:
    assert [kafka_testbed.cluster(name).topics() for name in ("eu-1", "eu-2")] == [set(), set()]
    kafka_testbed.create_stream("orders", partitions=2)
    kafka_testbed.write("orders", [f"{time} 1", ("key", f"{time} 2"), Record(None, f"{time} 3", partition=1)])
    running = queries.start(source(YamlFileMetadataService(kafka_testbed.file), "orders").load())
    assert_each_once(running.values, kafka_testbed.written("orders"), query=running.query)
    for number, home in enumerate(["eu-2", "eu-1", "eu-2"]):
        kafka_testbed.move("orders", to=home)
        kafka_testbed.write("orders", [f"{time} on {home}, {number}"])
        assert_each_once(running.values, kafka_testbed.written("orders"), query=running.query)
        assert running.rows()[-1]["cluster"] == home
    kafka_testbed.stop_cluster("eu-1")
    kafka_testbed.write("orders", [f"{time} last"])
    assert_each_once(running.values, kafka_testbed.written("orders"), query=running.query)
    assert len(running.rows()) == 7


def test_a_cluster_that_is_killed_comes_back_with_its_data(
    kafka_testbed: KafkaTestbed, queries: Queries, source: Source
) -> None:
    kafka_testbed.create_stream("orders", on="eu-2")
    kafka_testbed.write("orders", ["1"])
    read = source(kafka_testbed.service, "orders").unavailable_cluster_policy("skip")
    running = queries.start(read.load())
    assert_each_once(running.values, ["1"], query=running.query)
    kafka_testbed.cluster("eu-2").kill()
    running.await_state("eu-2", "unavailable")
    kafka_testbed.start_cluster("eu-2")
    kafka_testbed.write("orders", ["2"])
    assert_each_once(running.values, kafka_testbed.written("orders"), query=running.query)


def test_a_loss_a_copy_and_a_failure_are_seen(kafka_testbed: KafkaTestbed, queries: Queries, source: Source) -> None:
    kafka_testbed.create_stream("orders")
    kafka_testbed.write("orders", ["1", "2"])
    running = queries.start(source(kafka_testbed.service, "orders").load())
    with pytest.raises(AssertionError, match=r"Not within 3 s: each record has come\..* 1 missing: 'lost'"):
        assert_each_once(running.values, ["1", "2", "lost"], query=running.query, within=3)
    kafka_testbed.cluster("eu-1").produce("orders", [(None, "2")])
    with pytest.raises(AssertionError, match="1 more than once: '2'"):
        assert_each_once(running.values, ["1", "2"], query=running.query)
    elsewhere = ClusterMetadata(["none"], bootstrap_servers=kafka_testbed.cluster("eu-2").bootstrap_servers)
    kafka_testbed.publish(KafkaStream("orders", {"eu-1": elsewhere}))
    running.await_failure()
    with pytest.raises(Exception, match="DYNAMIC_KAFKA_CLUSTER_CHANGED"):
        assert_each_once(running.values, ["1", "2", "3"], query=running.query)
