"""Each cluster has credentials of its own, which may be wrong, change, or not be enough."""

import threading
from pathlib import Path

import pytest
from confluent_kafka.admin import ResourceType
from dynamic_kafka import ClusterMetadata, KafkaStream
from dynamic_kafka.errors import AuthenticationFailedError, NotAuthorizedError

from tests.cluster import KafkaCluster
from tests.cluster.certificates import Certificates
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import Scripted, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries
from tests.scenarios.scene import Scene

pytestmark = pytest.mark.wire


@pytest.fixture
def topic(guarded: KafkaCluster, fresh_name: Name) -> str:
    name = fresh_name("topic")
    guarded.create_topic(name)
    return name


def logged_in(cluster: KafkaCluster, *topics: str) -> ClusterMetadata:
    return ClusterMetadata(topics, cluster.properties("reader"))


class Behind(Scripted):
    """Lists `orders` on one cluster without and one with a login that runs out every 2 s; one fetch may be held, and
    then reports what was true when it began."""

    def __init__(self, a: KafkaCluster, guarded: KafkaCluster, topic: str, trust: str) -> None:
        super().__init__()
        self._clusters = (a, guarded, topic, trust)
        self.began, self.release = threading.Event(), threading.Event()
        self.publish()

    def publish(self) -> None:
        a, guarded, topic, trust = self._clusters
        properties = {
            **guarded.properties("reader"),
            "bootstrap.servers": guarded.secure_address("SCRAM"),
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.certificates": trust,
        }
        self.put(KafkaStream("orders", {"a": on(a, topic), "guarded": ClusterMetadata([topic], properties)}))

    def hold_the_next(self) -> None:
        known = {stream.stream_id: stream for stream in self.all_streams()}

        def held() -> dict[str, KafkaStream]:
            self.act = lambda: None
            self.began.set()
            assert self.release.wait(60)
            return known

        self.act = held
        assert self.began.wait(60)


def test_a_rotation_that_kafka_knows_before_the_metadata_does_not_end_the_query(
    a: KafkaCluster,
    guarded: KafkaCluster,
    topic: str,
    certificates: Certificates,
    queries: Queries,
    source: Source,
) -> None:
    a.create_topic(topic)
    service = Behind(a, guarded, topic, certificates.text("broker.pem"))
    running = queries.start(source(service, "orders").load())
    expected = write(a, topic, "a1") + write(guarded, topic, "g1")
    running.await_values(expected)
    service.hold_the_next()
    guarded.set_password("reader", "second")
    running.await_metric("unavailableClusters", lambda seen: seen == "1")
    running.await_values(expected := expected + write(a, topic, "a2"))
    service.publish()
    service.release.set()
    running.await_values(expected + write(guarded, topic, "g2"))
    guarded.set_password("reader", "given to nobody")
    error = running.await_failure()
    assert isinstance(error, AuthenticationFailedError)
    assert "cluster guarded" in str(error).lower()


def test_a_batch_whose_tasks_are_refused_is_read_by_the_next_start_with_the_newest_credentials(
    guarded: KafkaCluster, topic: str, filed: Scene, tmp_path: Path
) -> None:
    secret = tmp_path / "password"
    filed.publish("orders", {"guarded": ClusterMetadata([topic], with_password_in(secret, guarded))})
    rows = filed.read("orders").load()
    secret.write_text("first")
    running = filed.start(rows)
    running.await_values(expected := write(guarded, topic, "g1", "g2"))
    running.leave_over()
    secret.write_text("wrong")
    error = filed.start(rows, after=running).await_failure()
    assert isinstance(error, AuthenticationFailedError)
    for part in ("cluster guarded", "of an executor", topic, "offsets="):
        assert part in str(error).lower()
    secret.write_text("first")
    filed.start(rows, after=running).await_values(expected)


def with_password_in(secret: Path, guarded: KafkaCluster) -> dict[str, str]:
    properties = guarded.properties("reader")
    properties["sasl.jaas.config"] = properties["sasl.jaas.config"].replace('"first"', f'"${{file:{secret}}}"')
    return properties


def test_wrong_credentials_are_reported_as_such_and_never_as_a_cluster_out_of_reach(
    a: KafkaCluster, guarded: KafkaCluster, topic: str, filed: Scene, tmp_path: Path
) -> None:
    a.create_topic(topic)
    secret = tmp_path / "password"
    secret.write_text("wrong")
    reader = ClusterMetadata([topic], with_password_in(secret, guarded))
    filed.publish("orders", {"a": on(a, topic), "guarded": reader})
    rows = filed.read("orders")
    error = filed.start(rows.load()).await_failure()
    assert isinstance(error, AuthenticationFailedError)
    assert "cluster guarded" in str(error).lower()
    running = filed.start(rows.unavailable_cluster_policy("skip").load())
    expected = write(a, topic, "a1") + write(guarded, topic, "g1")
    running.await_values(expected[:1])
    secret.write_text("first")
    running.await_values(expected)


def test_a_group_whose_commits_may_not_be_read_is_reported_with_cluster_and_group(
    guarded: KafkaCluster, topic: str, filed: Scene, fresh_name: Name
) -> None:
    group = fresh_name("group")
    write(guarded, topic, "g1", "g2")
    guarded.commit(group, topic, {0: 1})
    guarded.forbid("reader", group, ResourceType.GROUP)
    filed.publish("orders", {"guarded": logged_in(guarded, topic)})
    read = filed.read("orders").starting_offsets({"committed": group, "otherwise": "latest"})
    error = filed.start(read.load()).await_failure()
    assert isinstance(error, NotAuthorizedError)
    assert f"guarded does not allow reading the committed offsets of group {group}" in str(error)
    assert f"Allow DESCRIBE on group {group}" in str(error)
    guarded.permit("reader", group, ResourceType.GROUP)
    filed.start(read.load()).await_values(["g2"])
