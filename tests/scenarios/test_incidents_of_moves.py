"""Changes of the metadata that go wrong, as in `test_incidents.py`."""

import pytest
from dynamic_kafka import DynamicKafkaSourceBuilder

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.incident_view import IncidentView
from tests.scenarios.listing import exact, on
from tests.scenarios.operating import Operator
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import SOON
from tests.scenarios.test_open_transactions import transaction

pytestmark = pytest.mark.long


def test_a_typing_error_in_the_metadata_drains_a_stream(
    a: KafkaCluster, b: KafkaCluster, operator: Operator, seen: IncidentView, skipping: DynamicKafkaSourceBuilder
) -> None:
    running, expected = seen.starts_reading(operator, skipping, a, b)
    typo = operator.stream.replace("ea", "ae")
    operator.lists_streams(**{typo: {"a": operator.on(a), "b": operator.on(b)}})
    seen.fires("StreamsMissing")
    running.await_metric("kafkaClustersCount", lambda count: count == "0")
    seen.sees(operator.stream, dashboard="alertname=DynamicKafkaStreamsMissing")
    assert f"[STREAM_NOT_FOUND] The metadata has no stream {operator.stream}" in " ".join(seen.status().split())
    assert f"It has stream {typo}: is that a typing error?" in " ".join(seen.lag().split())
    seen.keeps("c-stream")
    late = write(a, operator.topic, "a2")
    operator.lists(a, b)
    running.await_values(expected + late)
    seen.clears("StreamsMissing")
    seen.sees_nothing_wrong()


def test_a_typing_error_in_a_topic_and_in_a_cluster(
    a: KafkaCluster, b: KafkaCluster, operator: Operator, seen: IncidentView, skipping: DynamicKafkaSourceBuilder
) -> None:
    running, expected = seen.starts_reading(operator, skipping, a, b)
    operator.lists(a, b=on(b, f"{operator.topic}x"))
    seen.fires("TopicsSkipped b")
    seen.sees("[DYNAMIC_KAFKA_TOPIC_NOT_FOUND]", dashboard="cause=TOPIC_NOT_FOUND cluster=b")
    seen.keeps("c-topic")
    # The cluster that is known is drained, and is not read twice.
    operator.lists(a, bb=operator.on(b))
    seen.fires("TopicsSkipped bb")
    seen.sees("[DYNAMIC_KAFKA_CLUSTER_DUPLICATED]", dashboard="cause=CLUSTER_DUPLICATED cluster=bb")
    seen.keeps("c-cluster")
    late = write(b, operator.topic, "b2")
    operator.lists(a, b)
    running.await_values(expected + late)
    seen.clears("TopicsSkipped bb")
    seen.sees_nothing_wrong()


def released(seen: IncidentView) -> None:
    """Waits until b may be switched off."""
    eventually(
        "b may be switched off",
        lambda: seen.command("can-remove", "b", seen.statuses),
        until=lambda text: "exit code 0" in text,
        within=SOON,
    )


def test_a_migration_does_not_finish(
    a: KafkaCluster, b: KafkaCluster, operator: Operator, seen: IncidentView, skipping: DynamicKafkaSourceBuilder
) -> None:
    running, expected = seen.starts_reading(
        operator, skipping.kafka_property("isolation.level", "read_committed"), a, b, partitions=1
    )
    with transaction(b, operator.topic, "inside") as open_one:
        behind = write(b, operator.topic, "behind")
        seen.options = ["-o", "kafka.isolation.level=read_committed"]
        operator.lists(a, b=on(b))
        seen.fires("DrainDoesNotEnd b")
        seen.sees(
            "open transaction",
            dashboard="cause=OPEN_TRANSACTION cluster=b",
            lag="An open transaction holds back 2 records",
        )
        why = seen.command("can-remove", "b", seen.statuses)
        assert "open transaction" in " ".join(why.split())
        assert "exit code 1" in why
        seen.keeps("e-open-transaction", released=why)
        open_one.commit_transaction(30)
    running.await_values([*expected, "inside", *behind])
    running.await_state("b", "finished")
    seen.clears("DrainDoesNotEnd b")
    released(seen)


def test_a_migration_does_not_finish_because_a_restart_forgot_the_address(
    a: KafkaCluster, b: KafkaCluster, operator: Operator, seen: IncidentView, skipping: DynamicKafkaSourceBuilder
) -> None:
    committed = skipping.kafka_property("isolation.level", "read_committed")
    running, expected = seen.starts_reading(operator, committed, a, b, partitions=1)
    with transaction(b, operator.topic, "inside") as open_one:
        operator.lists(a)
        running.await_state("b", "draining")
        running.stop_between_batches()
        running = seen.looks_at(operator.starts(committed, after=running))
        seen.sees("[DYNAMIC_KAFKA_CLUSTER_NOT_LISTED]", dashboard="cause=CLUSTER_NOT_LISTED cluster=b")
        why = seen.command("can-remove", "b", seen.statuses)
        assert "CLUSTER_NOT_LISTED" in why
        seen.keeps("e-not-listed", released=why)
        operator.lists(a, b=on(b))
        open_one.commit_transaction(30)
    running.await_values([*expected, "inside"])
    released(seen)


def test_a_mirror_is_behind(
    a: KafkaCluster, b: KafkaCluster, operator: Operator, seen: IncidentView, skipping: DynamicKafkaSourceBuilder
) -> None:
    operator.creates(a, b, partitions=1)
    both = write(a, operator.topic, *numbered("mirrored ", 2))
    write(b, operator.topic, *both)
    expected = both + write(a, operator.topic, "not mirrored")
    operator.lists(a)
    running = seen.looks_at(operator.starts(skipping))
    running.await_values(expected)
    operator.lists(a=operator.on(a, paused=True))
    running.await_state("a", "paused")
    write(a, operator.topic, "nor read")
    running.await_metric("cluster.a.pendingRecords", lambda left: left == "1")
    operator.lists(b=operator.on(b, continues="a"))
    seen.fires("MirrorBehind b")
    seen.sees("[DYNAMIC_KAFKA_MIRROR_BEHIND]", dashboard="cause=MIRROR_BEHIND cluster=b")
    assert "TOPIC_RECREATED" not in seen.lag()
    seen.keeps("e-mirror-behind")
    operator.lists(b=operator.on(b, continues="a", starting=exact(operator.topic, {0: 2})))
    running.await_values(expected + write(b, operator.topic, "goes on"))
    running.await_metric("abandonedRecords", lambda records: records == "1")
    seen.fires("RecordsGivenUp")
    seen.clears("MirrorBehind b")
    seen.clears("RecordsGivenUp")
