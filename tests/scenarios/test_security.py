"""docs/security.md: its examples log in, and its table of what must be allowed is neither too short nor too long."""

import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka.admin import AclOperation, ResourceType
from dynamic_kafka import ClusterMetadata, DynamicKafkaSourceBuilder, SingleClusterMetadataService, find_error
from dynamic_kafka.errors import (
    AuthenticationFailedError,
    DynamicKafkaError,
    InvalidMetadataError,
    NotAuthorizedError,
)
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, NotYet, eventually
from tests.cluster.certificates import Certificates
from tests.cluster.process_broker import kafka
from tests.cluster.secure_listeners import ALLOWED_URLS
from tests.cluster.tokens import TokenEndpoint
from tests.cluster.versions import NEWEST
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import FileListing
from tests.scenarios.producing import write
from tests.scenarios.queries import SOON, value_of
from tests.scenarios.scene import Scene
from tests.scenarios.session import KAFKA_PASSWORD
from tests.security_page import ALONE, PEM, STORES, Needs, examples, least, replaced

_LISTENERS = {"9092": "PLAIN", "9093": "SCRAM", "9094": "TLS", "9095": "MUTUAL", "9096": "OAUTH"}


@pytest.fixture
def orders(guarded: KafkaCluster, a: KafkaCluster) -> Iterator[Callable[[str], list[str]]]:
    """Writes one record where the examples read, and returns what they then hold."""
    for cluster in (guarded, a):
        cluster.create_topic("orders")
    yield lambda text: [
        value
        for cluster in (guarded, a)
        if cluster is guarded or "lab" in text
        for value in write(cluster, "orders", "1")
    ]
    for cluster in (guarded, a):
        cluster.delete_topic("orders")


@pytest.fixture
def places(
    guarded: KafkaCluster, a: KafkaCluster, certificates: Certificates, tokens: TokenEndpoint, tmp_path: Path
) -> dict[str, str]:
    """What the names in the examples stand for here."""
    (tmp_path / "password").write_text(f"{KAFKA_PASSWORD}\n")
    (tmp_path / "kafka.properties").write_text(f"password={KAFKA_PASSWORD}\n")
    listeners = {f"kafka-1.example.com:{port}": guarded.secure_address(name) for port, name in _LISTENERS.items()}
    stores = {"ca.pem": "broker.pem", "trust.p12": "broker-trust.p12", "trust.jks": "broker-trust.jks"}
    stores |= {"reader.p12": "user.p12", "reader.pem": "user.pem"}
    return {
        **listeners,
        "kafka-2.example.com:9092": a.bootstrap_servers,
        "https://login.example.com/token": tokens.url,
        **{f"/etc/kafka/{there}": str(certificates.folder / here) for there, here in stores.items()},
        "/run/secrets/reader.key": str(certificates.folder / "user.key"),
        "/run/secrets/kafka-password": str(tmp_path / "password"),
        "/run/secrets/kafka.properties": str(tmp_path / "kafka.properties"),
    }


@pytest.mark.parametrize("heading", examples())
def test_an_example_of_the_page_logs_in(
    heading: str,
    places: dict[str, str],
    orders: Callable[[str], list[str]],
    file: FileListing,
    source: Source,
) -> None:
    text = examples()[heading]
    file.write(replaced(text, places))
    written = orders(text)
    rows = source(file.service, "orders").bounded().load().collect()
    assert {row["cluster"] for row in rows} == ({"eu-1", "lab"} if "lab" in text else {"eu-1"})
    assert len(rows) == len(written)


def test_a_delegation_token_logs_in_by_scram(
    guarded: KafkaCluster,
    places: dict[str, str],
    orders: Callable[[str], list[str]],
    file: FileListing,
    source: Source,
) -> None:
    token, secret = guarded.delegation_token(guarded.properties("reader"))
    text = replaced(examples()["SASL/SCRAM over TLS"], places)
    by_password = f'username="reader" password="${{file:{places["/run/secrets/kafka-password"]}}}"'
    assert by_password in text
    by_token = f'username="{token}" password="{secret}" tokenauth="true"'
    file.write(text.replace(by_password, by_token))
    written = orders(text)
    read = source(file.service, "orders").bounded().load()

    def rows() -> int:
        try:
            return read.count()
        except PySparkException as error:
            if not isinstance(find_error(error), AuthenticationFailedError):
                raise
            # Kafka hands out a new token before its listeners know it.
            raise NotYet(str(error)) from error

    assert eventually("the token logs in", rows, within=40) == len(written)
    file.write(text.replace(by_password, by_token.replace(secret, "wrong")))
    assert isinstance(refusal(source(file.service, "orders").bounded()), AuthenticationFailedError)


def test_a_token_endpoint_that_the_jvm_does_not_allow_is_refused_with_kafkas_own_name_of_the_property(
    places: dict[str, str], tokens: TokenEndpoint, file: FileListing, source: Source
) -> None:
    file.write(replaced(examples()["SASL/OAUTHBEARER over TLS"], places).replace(tokens.url, f"{tokens.url}/other"))
    error = refusal(source(file.service, "orders").bounded())
    assert isinstance(error, InvalidMetadataError)
    assert f"system property {ALLOWED_URLS}" in str(error)


def test_a_login_that_is_refused_is_reported_as_such_by_each_way_to_log_in(
    guarded: KafkaCluster, places: dict[str, str], file: FileListing, source: Source, certificates: Certificates
) -> None:
    stranger = str(certificates.folder / "user-trust.p12")
    wrong = {
        "SASL/PLAIN": ("${env:KAFKA_PASSWORD}", "wrong"),
        "SASL/SCRAM over TLS": ('username="reader"', 'username="nobody"'),
        STORES + ALONE: (places["/etc/kafka/trust.p12"], stranger),
        "SASL/OAUTHBEARER over TLS": ("client.id: reader", "client.id: nobody"),
        # Without a certificate of its own.
        PEM + ALONE: (guarded.secure_address("TLS"), guarded.secure_address("MUTUAL")),
    }
    for heading, (right, instead) in wrong.items():
        text = replaced(examples()[heading], places)
        assert right in text, heading
        file.write(text.replace(right, instead))
        error = refusal(source(file.service, "orders").bounded())
        assert isinstance(error, AuthenticationFailedError), (heading, error)
        assert "cluster eu-1" in str(error).lower(), heading


def refusal(builder: DynamicKafkaSourceBuilder) -> DynamicKafkaError:
    """What a batch read fails with."""
    with pytest.raises(PySparkException) as failed:
        builder.load().collect()
    error = find_error(failed.value)
    assert error is not None, failed.value
    return error


class Least:
    """A principal who is allowed what it is given, and nothing else, and a topic with a record."""

    def __init__(self, cluster: KafkaCluster, fresh_name: Name) -> None:
        self._cluster = cluster
        self.user, self.topic, self.group = (fresh_name(kind) for kind in ("user", "topic", "group"))
        cluster.add_user(self.user, "password")
        cluster.create_topic(self.topic)
        write(cluster, self.topic, "1", "2")
        cluster.commit(self.group, self.topic, {0: 1})

    def may(self, needs: Needs) -> None:
        for operation in needs.on_topics:
            self._cluster.allow(self.user, AclOperation[operation], self.topic)
        for operation in needs.on_groups:
            self._cluster.allow(self.user, AclOperation[operation], self.group, ResourceType.GROUP)

    def metadata(self) -> ClusterMetadata:
        return ClusterMetadata([self.topic], self._cluster.properties(self.user))


def feature(name: str, builder: DynamicKafkaSourceBuilder, group: str) -> tuple[DynamicKafkaSourceBuilder, list[str]]:
    """A read that uses a feature of the table, and what it reads of two records."""
    match name:
        case "reading, as a stream or as a batch":
            return builder, ["1", "2"]
        case "`maxTimestampSkew`":
            return builder.max_timestamp_skew("1h"), ["1", "2"]
        case '`{"committed": "group"}` in starting or ending offsets':
            return builder.starting_offsets({"committed": group, "otherwise": "latest"}), ["2"]
    raise LookupError(f"No test knows {name!r}.")


# A refused commit is no error.
COMMITS = "`commitOffsets`"


@pytest.mark.parametrize("name", sorted(least().keys() - {COMMITS}))
def test_a_user_with_the_rights_of_the_table_reads_and_without_one_of_them_the_error_names_it(
    name: str, guarded: KafkaCluster, fresh_name: Name, filed: Scene
) -> None:
    needs = least()[name]
    lacking = [Needs((), needs.on_groups)] + ([Needs(needs.on_topics, ())] if needs.on_groups else [])
    for less in lacking:
        without = Least(guarded, fresh_name)
        without.may(less)
        filed.publish("orders", {"eu-1": without.metadata()})
        read, _ = feature(name, filed.read("orders"), without.group)
        error = filed.start(read.load()).await_failure()
        assert isinstance(error, NotAuthorizedError)
        assert "cluster eu-1" in str(error).lower()
        assert (without.group if less.on_topics else without.topic) in str(error)
        assert "DESCRIBE" in str(error)
    enough = Least(guarded, fresh_name)
    enough.may(needs)
    filed.publish("orders", {"eu-1": enough.metadata()})
    read, expected = feature(name, filed.read("orders"), enough.group)
    filed.start(read.load()).await_values(expected)
    if name.startswith("reading"):
        assert read.bounded().load().count() == len(expected)


@pytest.mark.parametrize("allowed", [True, False])
def test_positions_are_committed_with_the_rights_of_the_table_and_a_refusal_is_a_metric(
    allowed: bool, guarded: KafkaCluster, fresh_name: Name, filed: Scene
) -> None:
    needs = least()[COMMITS]
    user = Least(guarded, fresh_name)
    user.may(needs if allowed else Needs(needs.on_topics, ()))
    filed.publish("orders", {"eu-1": user.metadata()})
    read = filed.read("orders").commit_offsets(True).kafka_property("group.id", user.group)
    running = filed.start(read.load())
    running.await_values(["1", "2"])
    if allowed:
        committed = partial(guarded.committed, user.group, user.topic)
        eventually("the positions are committed", committed, until=lambda seen: seen == {0: 2}, within=SOON)
    else:
        running.await_metric("commitsFailed", lambda count: int(count or 0) > 0)
        assert guarded.committed(user.group, user.topic) == {0: 1}


@pytest.mark.parametrize("skewed", [False, True], ids=["a task", "the driver under maxTimestampSkew"])
def test_of_a_user_who_may_only_describe_the_error_says_that_read_is_needed_by(
    skewed: bool, guarded: KafkaCluster, fresh_name: Name, filed: Scene
) -> None:
    least = Least(guarded, fresh_name)
    least.may(Needs(("DESCRIBE",), ()))
    filed.publish("orders", {"eu-1": least.metadata()})
    read = filed.read("orders")
    error = filed.start((read.max_timestamp_skew("1h") if skewed else read).load()).await_failure()
    assert isinstance(error, NotAuthorizedError)
    for part in ("cluster eu-1", least.topic, "read"):
        assert part in str(error).lower()


# One of each property that holds classes, with the class that Kafka takes anyway.
KAFKAS_OWN = {
    "metric.reporters": "org.apache.kafka.common.metrics.JmxReporter",
    "sasl.client.callback.handler.class": "org.apache.kafka.common.security.authenticator.SaslClientCallbackHandler",
    "sasl.login.callback.handler.class": (
        "org.apache.kafka.common.security.authenticator.AbstractLogin$DefaultLoginCallbackHandler"
    ),
    "sasl.login.class": "org.apache.kafka.common.security.authenticator.DefaultLogin",
    "ssl.engine.factory.class": "org.apache.kafka.common.security.ssl.DefaultSslEngineFactory",
}


def test_kafkas_own_classes_go_by_kafkas_names_in_the_metadata_service_of_one_cluster_too(
    guarded: KafkaCluster, certificates: Certificates, fresh_name: Name, source: Source
) -> None:
    topic = fresh_name("topic")
    guarded.create_topic(topic)
    written = write(guarded, topic, "1")
    properties = {
        **guarded.properties("reader"),
        "bootstrap.servers": guarded.secure_address("SCRAM"),
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": certificates.text("broker.pem"),
        **KAFKAS_OWN,
    }
    rows = source(SingleClusterMetadataService("guarded", properties), topic).bounded().load().collect()
    assert [value_of(row) for row in rows] == written


def test_a_login_module_that_kafkas_system_property_forbids_is_not_loaded(
    spark: SparkSession, places: dict[str, str], file: FileListing, source: Source
) -> None:
    assert spark._jvm is not None
    system, name = spark._jvm.java.lang.System, "kafka.disallowed.login.modules"
    system.setProperty(f"org.apache.{name}", "org.apache.kafka.common.security.plain.PlainLoginModule")
    file.write(replaced(examples()["SASL/PLAIN"], places))
    try:
        error = refusal(source(file.service, "orders").bounded())
    finally:
        for home in ("org.apache", "io.github.dynamickafka.shaded"):
            system.clearProperty(f"{home}.{name}")
    assert "DYNAMIC_KAFKA_INVALID_METADATA" in str(error)


def test_of_a_class_compiled_against_kafkas_client_the_error_says_that_it_needs_the_thin_jar(
    spark: SparkSession, a: KafkaCluster, file: FileListing, source: Source, tmp_path: Path
) -> None:
    (tmp_path / "Plugin.java").write_text("public class Plugin extends org.apache.kafka.common.metrics.JmxReporter {}")
    client = next(jar for jar in kafka(NEWEST).class_path.split(":") if "kafka-clients" in jar)
    javac = ["javac", "-cp", client, "-d", str(tmp_path), str(tmp_path / "Plugin.java")]
    subprocess.run(javac, check=True)
    jvm = spark._jvm
    assert jvm is not None
    # Below it there may be one of jars that another test has added.
    context = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    loader = context.loadClass("io.github.dynamickafka.spark.DynamicKafkaSource").getClassLoader()
    loader.addURL(jvm.java.net.URL(f"{tmp_path.as_uri()}/"))
    file.publish("orders", {"a": ClusterMetadata(["any"], {**a.properties(), "metric.reporters": "Plugin"})})
    error = refusal(source(file.service, "orders").bounded())
    for part in ("Class Plugin", "metric.reporters", "io.github.dynamickafka:dynamic-kafka-spark-thin_2.13"):
        assert part in str(error)
