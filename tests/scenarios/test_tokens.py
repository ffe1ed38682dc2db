"""Clusters where one logs in by a token that an endpoint gives out, and that ends."""

import pytest
from dynamic_kafka import ClusterMetadata
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.cluster.certificates import Certificates
from tests.cluster.tokens import TokenEndpoint
from tests.scenarios.conftest import Name
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.listing import on
from tests.scenarios.producing import write
from tests.scenarios.scene import Scene
from tests.scenarios.secured import by_token
from tests.scenarios.session import KAFKA_PASSWORD
from tests.scenarios.session_log import SessionLog

# Seconds. Kafka's client renews a token when four fifths of it are over.
_LIFE = 10


@pytest.fixture
def token_login(guarded: KafkaCluster, certificates: Certificates, tokens: TokenEndpoint) -> dict[str, str]:
    login = by_token(certificates, tokens.url, "reader", KAFKA_PASSWORD)
    return {"bootstrap.servers": guarded.secure_address("OAUTH"), **login}


def renewing(jvm: DriverJvm) -> list[str]:
    """The threads of Kafka's client that renew tokens."""
    return [name for name in jvm.threads() if "relogin" in name]


@pytest.mark.long
def test_a_query_outlives_its_tokens(
    spark: SparkSession,
    guarded: KafkaCluster,
    token_login: dict[str, str],
    tokens: TokenEndpoint,
    scene: Scene,
    fresh_name: Name,
) -> None:
    stream, topic = fresh_name("tokens"), fresh_name("topic")
    guarded.create_topic(topic)
    tokens.seconds = _LIFE
    scene.publish(stream, {"guarded": ClusterMetadata([topic], token_login)})
    running = scene.start(scene.read(stream).load())
    expected = write(guarded, topic, "by the first token")
    running.await_values(expected)
    jvm, listener = DriverJvm(spark), guarded.secure_address("OAUTH")
    first = jvm.connections_to(listener)
    for turn in range(2):
        given = len(tokens.given)
        eventually("another token is given", lambda: len(tokens.given), until=given.__lt__, within=40)
        expected += write(guarded, topic, f"later {turn}")
        running.await_values(expected)
    assert first & jvm.connections_to(listener), "no connection was shown a newer token"
    assert renewing(jvm)
    running.stop()
    eventually("nobody renews tokens any more; threads", lambda: renewing(jvm), until=lambda left: not left, within=40)


def test_while_a_token_endpoint_hangs_other_clusters_are_read_and_it_is_asked_again(
    a: KafkaCluster,
    guarded: KafkaCluster,
    token_login: dict[str, str],
    tokens: TokenEndpoint,
    scene: Scene,
    log: SessionLog,
    fresh_name: Name,
) -> None:
    stream, topic = fresh_name("tokens"), fresh_name("topic")
    for cluster in (a, guarded):
        cluster.create_topic(topic)
    tokens.answers.clear()
    scene.publish(stream, {"a": on(a, topic), "guarded": ClusterMetadata([topic], token_login)})
    patient = scene.read(stream).unavailable_cluster_policy("skip").cluster_request_timeout("8s")
    running = scene.start(patient.load())
    expected = write(a, topic, "a1")
    running.await_values(expected)
    running.await_state("guarded", "pending")
    assert "SocketTimeoutException" in log.await_line("AUTHENTICATION_FAILED")
    held = write(guarded, topic, "g1")
    expected += write(a, topic, "a2")
    running.await_values(expected)
    tokens.answers.set()
    running.await_values(expected + held)
