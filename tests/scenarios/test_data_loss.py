"""Records, topics and clusters that are gone: reported by name, and never more nor less than is gone."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from dynamic_kafka.errors import ClusterChangedError, DataLossError, TopicRecreatedError

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Running, value_of
from tests.scenarios.scene import Scene

pytestmark = pytest.mark.wire

Begun = Callable[[], Running]


@pytest.fixture
def topic(a: KafkaCluster, program: ProgramListing, fresh_name: Name) -> str:
    """A topic of one partition on a, which is the stream `orders`."""
    name = fresh_name("topic")
    a.create_topic(name)
    program.publish("orders", {"a": on(a, name)})
    return name


@pytest.fixture
def stopped(a: KafkaCluster, topic: str, scene: Scene) -> Running:
    """A query that has read the values 0 to 4 and was stopped."""
    running = scene.start(scene.read("orders").load())
    running.await_values(write(a, topic, *numbered("", 5)))
    running.stop_between_batches()
    return running


def test_records_that_aged_out_fail_the_query_or_are_counted(
    stopped: Running, a: KafkaCluster, topic: str, scene: Scene
) -> None:
    write(a, topic, *numbered("lost ", 3))
    left = write(a, topic, "left")
    a.delete_records(topic, {0: 8})
    error = scene.start(scene.read("orders").load(), after=stopped).await_failure()
    assert isinstance(error, DataLossError)
    for word in ("cluster a", topic, "failOnDataLoss"):
        assert word in str(error)
    lenient = scene.read("orders").fail_on_data_loss(False).load()
    running = scene.start(lenient, after=stopped)
    running.await_values(numbered("", 5) + left)
    running.await_metric("dataLossRecords", lambda seen: seen == "3")
    running.await_values(numbered("", 5) + left + write(a, topic, "more"))


def test_records_that_age_out_of_a_batch_that_was_planned_are_reported_too(
    stopped: Running, a: KafkaCluster, topic: str, scene: Scene
) -> None:
    batch = stopped.leave_over()
    planned = [value_of(row) for row in stopped.batches.pop(batch)]
    before = stopped.values()
    assert planned
    left = write(a, topic, "left")
    a.delete_records(topic, {0: 5})
    error = scene.start(scene.read("orders").load(), after=stopped).await_failure()
    assert isinstance(error, DataLossError)
    lenient = scene.read("orders").fail_on_data_loss(False).load()
    running = scene.start(lenient, after=stopped)
    running.await_values(before + left)
    running.await_metric("dataLossRecords", lambda seen: seen == str(len(planned)))


@pytest.mark.parametrize("count", [1, 9], ids=["shorter", "longer"])
def test_a_topic_created_anew_is_reported_though_its_offsets_would_fit(
    count: int, stopped: Running, a: KafkaCluster, topic: str, scene: Scene
) -> None:
    a.delete_topic(topic)
    a.create_topic(topic)
    anew = write(a, topic, *numbered("anew ", count))
    error = scene.start(scene.read("orders").load(), after=stopped).await_failure()
    assert isinstance(error, TopicRecreatedError)
    assert topic in str(error)
    lenient = scene.read("orders").fail_on_data_loss(False).load()
    running = scene.start(lenient, after=stopped)
    running.await_values(numbered("", 5) + anew)
    running.await_values(numbered("", 5) + anew + write(a, topic, "more"))


def test_a_topic_that_is_deleted_is_loss_only_while_it_is_listed(
    a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene, fresh_name: Name
) -> None:
    unlisted, listed = fresh_name("unlisted"), fresh_name("listed")
    for name in (unlisted, listed):
        b.create_topic(name)
    scene.publish("orders", {"a": on(a, topic), "b": on(b, unlisted, listed)})
    rows = scene.read("orders").cluster_request_timeout("5s").load()
    running = scene.start(rows)
    expected = write(b, unlisted, "1") + write(b, listed, "2")
    running.await_values(expected)
    scene.publish("orders", {"a": on(a, topic), "b": on(b, listed)})
    running.await_metric("activeSplitCount", lambda seen: seen == "2")
    b.delete_topic(unlisted)
    expected += write(a, topic, "3")
    running.await_values(expected)
    b.delete_topic(listed)
    error = running.await_failure()
    assert isinstance(error, DataLossError)
    assert listed in str(error)
    assert "cluster b" in str(error)


@pytest.mark.parametrize("trigger", [{"availableNow": True}, {"once": True}], ids=["available-now", "once"])
def test_a_topic_that_is_deleted_is_loss_in_a_run_that_ends_by_itself_too(
    trigger: dict[str, Any], stopped: Running, a: KafkaCluster, topic: str, scene: Scene
) -> None:
    a.delete_topic(topic)
    rows = scene.read("orders").cluster_request_timeout("3s").load()
    error = scene.start(rows, after=stopped, **trigger).await_failure()
    assert isinstance(error, DataLossError)
    assert topic in str(error)


def test_transaction_markers_and_aborted_records_are_no_loss(a: KafkaCluster, topic: str, scene: Scene) -> None:
    rows = scene.read("orders").kafka_property("isolation.level", "read_committed").load()
    a.produce(topic, [(None, "aborted")], transaction="abort")
    a.produce(topic, [(None, "committed")], transaction="commit")
    a.produce(topic, [(None, "aborted too")], transaction="abort")
    running = scene.start(rows, availableNow=True)
    running.await_end()
    running.await_values(["committed"])


def test_a_compacted_topic_has_no_loss(a: KafkaCluster, scene: Scene, fresh_name: Name) -> None:
    compacted = fresh_name("compacted")
    config = {
        "cleanup.policy": "compact",
        "segment.ms": "100",
        "min.cleanable.dirty.ratio": "0.01",
        "max.compaction.lag.ms": "100",
    }
    a.create_topic(compacted, config=config)
    for turn in range(20):
        a.produce(compacted, [("key", str(turn)), (f"other {turn}", "x")])
    scene.publish("orders", {"a": on(a, compacted)})
    running = scene.start(scene.read("orders").max_offsets_per_trigger(7).load(), availableNow=True)
    running.await_end(60)
    assert {"19", "x"} <= set(running.values())
    held = running.offset()["clusters"]["a"]["topics"][compacted]["partitions"]["0"]
    assert held[1] == 40, "the end of the topic is reached, whatever the brokers cleaned away"


@pytest.mark.parametrize("policy", ["fail", "skip"])
def test_a_cluster_rebuilt_at_the_same_address_is_not_read_as_the_one_it_replaced(
    policy: str, a: KafkaCluster, c: KafkaCluster, topic: str, scene: Scene, fresh_name: Name
) -> None:
    rebuilt = fresh_name("rebuilt")
    c.create_topic(rebuilt)
    scene.publish("orders", {"a": on(a, topic), "c": on(c, rebuilt)})
    builder = scene.read("orders").option("unavailableClusterPolicy", policy)
    # Whatever this says: a wrong address must not cost good positions.
    running = scene.start(builder.fail_on_data_loss(False).load())
    expected = write(c, rebuilt, "1", "2")
    running.await_values(expected)
    running.await_committed()
    held = running.offset()["clusters"]["c"]["topics"]
    if policy == "fail":
        running.stop()
    c.rebuild()
    c.create_topic(rebuilt)
    write(c, rebuilt, *numbered("of another cluster ", 5))
    if policy == "fail":
        error = scene.start(builder.load(), after=running).await_failure()
        assert isinstance(error, ClusterChangedError)
        assert "cluster c" in str(error)
        return
    running.await_state("c", "unavailable")
    running.await_values(expected + write(a, topic, "a goes on"))
    running.await_committed()
    now = running.offset()["clusters"]["c"]["topics"]
    assert json.dumps(now) == json.dumps(held)
    # A rebuilt cluster gets a new id.
    scene.publish("orders", {"a": on(a, topic), "c2": on(c, rebuilt)})
    running.await_values([*expected, "a goes on", *numbered("of another cluster ", 5)])
