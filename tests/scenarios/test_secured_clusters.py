"""Clusters with credentials of their own in one query: nothing of one reaches another. Who logs in at all is shown by
test_security.py."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from dynamic_kafka import ClusterMetadata
from dynamic_kafka.errors import AuthenticationFailedError
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, KafkaClusters, eventually
from tests.cluster.certificates import Certificates
from tests.scenarios.conftest import Name, Source
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Running, value_of
from tests.scenarios.scene import Scene
from tests.scenarios.secured import PLAIN, Secured, ThreeSecured, by_certificate, by_plain, by_scram, start_secured
from tests.scenarios.session import KAFKA_PASSWORD
from tests.scenarios.test_security import refusal


@pytest.fixture(scope="module")
def three(
    guarded_cluster: KafkaCluster, certificates: Certificates, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ThreeSecured]:
    folder = tmp_path_factory.mktemp("secured")
    with KafkaClusters(folder / "clusters") as clusters:
        yield start_secured(clusters, guarded_cluster, certificates, lambda name: folder / name)


@pytest.fixture
def topic(three: ThreeSecured, guarded: KafkaCluster, fresh_name: Name) -> str:
    """One name, on each of them."""
    name = fresh_name("topic")
    for one in three.all().values():
        one.cluster.create_topic(name)
    return name


def written(three: ThreeSecured, topic: str, turn: object) -> list[str]:
    return [value for name, one in three.all().items() for value in write(one.cluster, topic, f"{name} {turn}")]


def warm(running: Running, three: ThreeSecured, topic: str, expected: list[str]) -> None:
    """Reads batch after batch until all connections are there that reading takes."""
    for _ in range(3):
        expected += written(three, topic, len(expected))
        running.await_values(expected)


@pytest.mark.slow
def test_three_clusters_are_read_by_one_query_and_a_rotation_on_one_leaves_the_others_alone(
    three: ThreeSecured, topic: str, filed: Scene, jvm: DriverJvm
) -> None:
    filed.publish("orders", three.each(topic))
    # A broker may know of a new password, and refuse the old one, some time before the file has it.
    builder = filed.read("orders").unavailable_cluster_policy("skip").consumer_idle_timeout("8s")
    running = filed.start(builder.load())
    expected: list[str] = []
    warm(running, three, topic, expected)
    assert {(row["cluster"], value_of(row).split()[0]) for row in running.rows()} == {(it, it) for it in three.all()}

    def rotated(name: str, credentials: Mapping[str, Mapping[str, str]]) -> None:
        before = {name: jvm.connections_to(one.address) for name, one in three.all().items()}
        filed.publish("orders", three.each(topic, **credentials))
        running.await_metric("lastTopologyChange", lambda seen: (seen or "").endswith(f"reconnected={name}"))

        def old() -> set[int]:
            warm(running, three, topic, expected)
            return before[name] & jvm.connections_to(three.all()[name].address)

        eventually(f"the old connections to {name} are closed", old, until=lambda left: not left, within=40)
        # The broker of scram ends connections by itself, for its users have to log in anew every other second.
        for other in three.all().keys() - {name, "scram"}:
            assert before[other], other
            assert before[other] <= jvm.connections_to(three.all()[other].address), other

    rotated("mutual", {"mutual": three.renewed})
    three.scram.cluster.set_password("reader", "third")
    again = {**three.scram.properties}
    again["sasl.jaas.config"] = again["sasl.jaas.config"].replace(f'"{KAFKA_PASSWORD}"', '"third"')
    rotated("scram", {"mutual": three.renewed, "scram": again})


def wrong(three: ThreeSecured, certificates: Certificates) -> dict[str, dict[str, Mapping[str, str]]]:
    """By what is mixed up: the properties of the one cluster that gets another's."""
    mutual, plain = three.mutual.properties, three.plain.properties
    jaas, authority = "sasl.jaas.config", "ssl.truststore.certificates"
    return {
        "another's authority": {"mutual": {**mutual, authority: certificates.text("broker.pem")}},
        "another's certificate": {
            "mutual": {**by_certificate(certificates, certificates), authority: mutual[authority]}
        },
        "another's password": {"plain": {**plain, jaas: PLAIN.format(user="reader", password=KAFKA_PASSWORD)}},
        "another's user": {"scram": by_scram(certificates, "accountant", "unused")},
        "another's trust store": {
            "plain": {
                **plain,
                "ssl.truststore.location": str(certificates.folder / "broker-trust.jks"),
                "ssl.truststore.password": certificates.password,
            }
        },
    }


def test_credentials_that_are_mixed_up_are_refused_by_the_cluster_that_got_them_and_no_other_is_named(
    three: ThreeSecured, topic: str, certificates: Certificates, scene: Scene
) -> None:
    for kind, instead in wrong(three, certificates).items():
        scene.publish("orders", three.each(topic, **instead))
        error = refusal(scene.read("orders").bounded())
        assert isinstance(error, AuthenticationFailedError), (kind, error)
        named = {name for name in three.all() if f"cluster {name}" in str(error).lower()}
        assert named == set(instead), (kind, error)


def test_one_login_module_logs_in_two_users_of_the_same_name_and_leaves_nothing_in_the_jvm(
    three: ThreeSecured,
    guarded: KafkaCluster,
    topic: str,
    certificates: Certificates,
    spark: SparkSession,
    jvm: DriverJvm,
    scene: Scene,
) -> None:
    shared = {
        "sasl.login.callback.handler.class": (
            "org.apache.kafka.common.security.authenticator.AbstractLogin$DefaultLoginCallbackHandler"
        ),
        "ssl.engine.factory.class": "org.apache.kafka.common.security.ssl.DefaultSslEngineFactory",
    }
    first = Secured(guarded, "PLAIN_TLS", {**by_plain(certificates, "reader", KAFKA_PASSWORD), **shared})
    second = Secured(three.plain.cluster, "PLAIN_TLS", {**three.plain.properties, **shared})
    expected = [value for one in (first, second) for value in write(one.cluster, topic, one.cluster.name)]
    before = jvm.system_properties()
    scene.publish("orders", {"first": first.on(topic), "second": second.on(topic)})
    rows = scene.read("orders").bounded().load().collect()
    assert sorted(map(value_of, rows)) == sorted(expected)
    assert jvm.system_properties() == before
    assert spark._jvm is not None
    with pytest.raises(Exception, match="LoginException"):
        spark._jvm.javax.security.auth.login.LoginContext("KafkaClient")


def test_providers_of_one_name_and_different_classes_belong_to_their_clusters(
    three: ThreeSecured, guarded: KafkaCluster, topic: str, file: FileListing, source: Source, tmp_path: Path,
    certificates: Certificates,
) -> None:  # fmt: skip
    (tmp_path / "password").write_text("second")
    (tmp_path / "kafka.properties").write_text("user=reader\n")
    kafkas = "org.apache.kafka.common.config.provider"
    of_environment = {
        **by_plain(certificates, "reader", "${secrets:KAFKA_PASSWORD}"),
        "config.providers": "secrets",
        "config.providers.secrets.class": f"{kafkas}.EnvVarConfigProvider",
        "config.providers.secrets.param.allowlist.pattern": "KAFKA_.*",
    }
    of_files = {
        **three.plain.properties,
        "sasl.jaas.config": PLAIN.format(
            user=f"${{names:{tmp_path}/kafka.properties:user}}", password=f"${{secrets:{tmp_path}:password}}"
        ),
        "config.providers": "secrets,names",
        "config.providers.secrets.class": f"{kafkas}.DirectoryConfigProvider",
        "config.providers.secrets.param.allowed.paths": str(tmp_path),
        "config.providers.names.class": f"{kafkas}.FileConfigProvider",
    }
    first = Secured(guarded, "PLAIN_TLS", of_environment)
    expected = write(guarded, topic, "1") + write(three.plain.cluster, topic, "2")
    file.publish("orders", {"first": first.on(topic), "second": three.plain.on(topic, of_files)})
    rows = source(file.service, "orders").bounded().load().collect()
    assert sorted(map(value_of, rows)) == expected


def test_the_figures_of_kafkas_own_reporter_are_there_by_its_own_name_and_go_with_the_query(
    a: KafkaCluster, scene: Scene, jvm: DriverJvm, fresh_name: Name
) -> None:
    topic, prefix = fresh_name("topic"), fresh_name("reported")
    a.create_topic(topic)
    reporter = {"metric.reporters": "org.apache.kafka.common.metrics.JmxReporter"}
    scene.publish("orders", {"a": ClusterMetadata([topic], {**on(a, topic).properties, **reporter})})
    running = scene.start(scene.read("orders").group_id_prefix(prefix).consumer_idle_timeout("8s").load())
    running.await_values(write(a, topic, "1"))
    assert jvm.consumer_figures(prefix, "consumer-fetch-manager-metrics", "records-consumed-total")
    assert jvm.beans(f"kafka.consumer:client-id={prefix}*,*")
    running.stop()
    eventually("no figure is left", lambda: jvm.beans(f"*:client-id={prefix}*,*"), until=lambda it: not it, within=40)
