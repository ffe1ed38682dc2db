"""One topic that may not be read holds alone: the rest of its cluster goes on. Partitions without a leader are in
test_three_brokers.py."""

import pytest
from confluent_kafka.admin import AclOperation
from dynamic_kafka import ClusterMetadata, DynamicKafkaError
from dynamic_kafka.errors import NotAuthorizedError

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import FileListing
from tests.scenarios.producing import write
from tests.scenarios.queries import Running
from tests.scenarios.scene import Scene
from tests.scenarios.test_security import refusal

pytestmark = pytest.mark.wire


class Rights:
    """Three topics with a record each, and a user who may read one, describe another, and not see the third."""

    def __init__(self, cluster: KafkaCluster, fresh_name: Name) -> None:
        self._cluster = cluster
        self.user = fresh_name("user")
        self.open, self.described, self.hidden = (fresh_name(kind) for kind in ("open", "described", "hidden"))
        cluster.add_user(self.user, "password")
        for topic in (self.open, self.described, self.hidden):
            cluster.create_topic(topic)
        cluster.allow(self.user, AclOperation.READ, self.open)
        cluster.allow(self.user, AclOperation.DESCRIBE, self.described)

    def metadata(self) -> ClusterMetadata:
        return ClusterMetadata([self.open, self.described, self.hidden], self._cluster.properties(self.user))

    def write(self, turn: str) -> dict[str, list[str]]:
        return {it: write(self._cluster, it, f"{it} {turn}") for it in (self.open, self.described, self.hidden)}

    def allow_all(self) -> None:
        for topic in (self.described, self.hidden):
            self._cluster.allow(self.user, AclOperation.READ, topic)

    def named_in(self, text: str) -> bool:
        """Whether a text names both topics, each with all operations that are missing."""
        return f"DESCRIBE and READ on topic {self.hidden}" in text and f"READ on topic {self.described}" in text


@pytest.fixture
def rights(guarded: KafkaCluster, fresh_name: Name, file: FileListing) -> Rights:
    rights = Rights(guarded, fresh_name)
    file.publish("orders", {"eu-1": rights.metadata()})
    return rights


def assert_complete(error: DynamicKafkaError, rights: Rights) -> None:
    assert isinstance(error, NotAuthorizedError)
    assert "cluster eu-1" in str(error).lower()
    assert rights.named_in(str(error)), error


def test_topics_that_may_not_be_read_hold_alone_under_skip_and_are_read_from_where_they_held(
    rights: Rights, guarded: KafkaCluster, filed: Scene
) -> None:
    first = rights.write("1")
    running = filed.start(filed.read("orders").unavailable_cluster_policy("skip").load())
    running.await_values(first[rights.open])
    cause = running.await_metric("cluster.eu-1.cause", lambda seen: rights.named_in(seen or ""))
    assert "[DYNAMIC_KAFKA_NOT_AUTHORIZED]" in cause
    assert running.metrics()["cluster.eu-1.state"] == "reading"
    assert running.metrics()["unavailableClusters"] == "0"
    running.await_values(expected := first[rights.open] + rights.write("2")[rights.open])
    rights.allow_all()
    running.await_values(
        expected := expected + [f"{it} {turn}" for it in (rights.described, rights.hidden) for turn in (1, 2)]
    )
    running.await_metric("cluster.eu-1.cause", lambda seen: seen is None)
    guarded.forbid(rights.user, rights.open)
    running.await_metric("cluster.eu-1.cause", lambda seen: f"DESCRIBE and READ on topic {rights.open}" in (seen or ""))
    third = rights.write("3")
    running.await_values(expected := expected + third[rights.described] + third[rights.hidden])
    guarded.permit(rights.user, rights.open)
    running.await_values(expected + third[rights.open])


def test_one_error_names_all_topics_that_may_not_be_read_and_no_batch_is_logged_before(
    rights: Rights, filed: Scene
) -> None:
    rights.write("1")
    failing = filed.start(filed.read("orders").load())
    assert_complete(failing.await_failure(), rights)
    assert failing.logged("offsets") == []
    assert_complete(refusal(filed.read("orders").bounded()), rights)


def test_a_batch_read_names_all_topics_that_may_not_be_read_though_they_are_empty(
    rights: Rights, file: FileListing, source: Source
) -> None:
    assert_complete(refusal(source(file.service, "orders").bounded()), rights)


def test_a_right_that_is_withdrawn_fails_the_query_between_two_batches(
    rights: Rights, guarded: KafkaCluster, filed: Scene
) -> None:
    rights.allow_all()
    expected = [value for values in rights.write("1").values() for value in values]
    running = filed.start(filed.read("orders").load())
    running.await_values(expected)
    running.await_committed()
    guarded.forbid(rights.user, rights.open)
    error = running.await_failure()
    assert isinstance(error, NotAuthorizedError)
    assert f"DESCRIBE and READ on topic {rights.open}" in str(error)
    assert running.logged("offsets")[-1] == running.logged("commits")[-1]


def test_what_can_not_be_seen_at_the_first_start_begins_where_latest_was_then(rights: Rights, filed: Scene) -> None:
    rights.write("before")
    builder = filed.read("orders").starting_offsets("latest").unavailable_cluster_policy("skip")
    running = filed.start(builder.load())

    def unread(running: Running) -> set[str]:
        return set(running.offset()["clusters"]["eu-1"].get("pendingTopics", {}))

    eventually("the rule is kept", lambda: unread(running), until=lambda seen: seen == {rights.hidden}, within=40)
    later = rights.write("later")
    running.await_values(later[rights.open])
    rights.allow_all()
    running.await_values([value for values in later.values() for value in values])
    assert unread(running) == set()
