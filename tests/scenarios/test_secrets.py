"""A secret of the metadata, or behind a placeholder, is nowhere but in Kafka's clients."""

import json
import os
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dynamic_kafka import ClusterMetadata, DynamicKafkaSourceBuilder, find_error
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster
from tests.cluster.certificates import Certificates
from tests.scenarios.conftest import Source
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.listing import FileListing, Listing, ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.session import PLANTED
from tests.scenarios.session_log import SessionLog

Name = Callable[[str], str]


class Planted:
    """Secrets that no text may hold."""

    def __init__(self, folder: Path) -> None:
        self.literal, self.login, self.other, in_file = (f"planted-{uuid.uuid4().hex}" for _ in range(4))
        self.file = folder / "secret.txt"
        self.file.write_text(in_file)
        self.all = [self.literal, self.login, self.other, in_file, os.environ[PLANTED]]

    def properties(self) -> dict[str, str]:
        """Properties of Kafka that take no part in a connection without encryption or login, and one it knows not."""
        login = "org.apache.kafka.common.security.plain.PlainLoginModule required"
        return {
            "ssl.key.password": self.literal,
            "sasl.jaas.config": f'{login} username="u" password="{self.login}";',
            "some.plugin.token": self.other,
            # Declared as text, not as a password: Kafka's clients print such values when they are opened.
            "sasl.oauthbearer.token.endpoint.url": f"https://{self.other}",
            "sasl.kerberos.service.name": "${file:" + str(self.file) + "}",
            "ssl.keystore.password": "${env:" + PLANTED + "}",
            "ssl.truststore.password": "${file:" + str(self.file) + "}",
        }

    def found(self, text: str) -> list[str]:
        """The places around each secret in a text."""
        places = [(secret, text.find(secret)) for secret in self.all]
        return [text[max(0, at - 300) : at + len(secret)] for secret, at in places if at >= 0]


@pytest.fixture
def planted(spark: SparkSession, tmp_path: Path) -> Planted:
    return Planted(tmp_path)


@pytest.fixture
def everything_logged(spark: SparkSession, spark_folder: Path) -> Iterator[Callable[[], str]]:
    """Logs at debug; the function gives what was logged since."""
    log, jvm = spark_folder / "spark.log", DriverJvm(spark)
    before = log.stat().st_size
    jvm.log_level("DEBUG")
    yield lambda: log.read_bytes()[before:].decode(errors="replace")
    jvm.log_level("INFO")


def new_topic(fresh_name: Name, *clusters: KafkaCluster) -> str:
    topic = fresh_name("topic")
    for cluster in clusters:
        cluster.create_topic(topic)
    return topic


def with_secrets(cluster: KafkaCluster, topic: str, planted: Planted) -> ClusterMetadata:
    return ClusterMetadata([topic], {**cluster.properties(), **planted.properties()})


def test_a_secret_is_in_no_log_plan_progress_checkpoint_event_or_text(
    spark: SparkSession,
    a: KafkaCluster,
    b: KafkaCluster,
    listing: Listing,
    planted: Planted,
    queries: Queries,
    source: Source,
    spark_folder: Path,
    everything_logged: Callable[[], str],
    capfd: pytest.CaptureFixture[str],
    fresh_name: Name,
) -> None:
    topic = new_topic(fresh_name, a, b)
    listing.publish("orders", {"a": with_secrets(a, topic, planted)})
    builder = source(listing.service, "orders").kafka_property("ssl.keystore.key", "${file:" + str(planted.file) + "}")
    rows = builder.load()
    running = queries.start(rows)
    expected = write(a, topic, "1")
    running.await_values(expected)
    listing.publish("orders", {"a": with_secrets(a, topic, planted), "b": with_secrets(b, topic, planted)})
    running.await_values(expected + write(b, topic, "2"))
    running.await_committed()
    pages = shown_by_the_ui(spark, running)
    running.query.explain(True)
    rows.explain("formatted")
    read_and_explain(builder)
    progress = [one.json for one in running.query.recentProgress]
    running.stop()
    shown = repr(listing.service) + repr(with_secrets(a, topic, planted)) + repr(rows) + str(rows.schema)
    out, err = capfd.readouterr()
    texts = files_of(running, spark_folder) | {"progress": "".join(progress), "UI": pages, "repr": shown}
    texts |= {"printed": out + err, "log": everything_logged()}
    assert {where: planted.found(text) for where, text in texts.items() if planted.found(text)} == {}
    assert len(texts["log"]) > 10_000, "the log was looked at"
    assert json.loads(progress[-1])["sources"], "the progress was looked at"
    assert str(running.query.runId) in pages, "the UI was looked at"


def read_and_explain(builder: DynamicKafkaSourceBuilder) -> None:
    bounded = builder.bounded().load()
    bounded.explain("extended")
    assert bounded.count() == 2


def shown_by_the_ui(spark: SparkSession, running: Running) -> str:
    """The pages of Spark's UI that tell of a query, and what its REST interface says of all."""
    ui, application = spark.sparkContext.uiWebUrl, spark.sparkContext.applicationId
    rest = f"{ui}/api/v1/applications/{application}"
    executions = fetched(f"{rest}/sql?details=true&planDescription=true&length=10000")
    last = max(one["id"] for one in json.loads(executions))
    pages = [f"{ui}/{page}/" for page in ("jobs", "stages", "environment", "executors", "SQL", "StreamingQuery")]
    pages += [f"{ui}/SQL/execution/?id={last}", f"{ui}/StreamingQuery/statistics/?id={running.query.runId}"]
    pages += [f"{rest}/environment", f"{rest}/jobs"]
    return "\n".join([executions, *map(fetched, pages)])


def fetched(address: str) -> str:
    with urllib.request.urlopen(address) as answer:  # noqa: S310 - the session's own
        return bytes(answer.read()).decode()


def files_of(running: Running, spark_folder: Path) -> dict[str, str]:
    """The text of the query's checkpoint and of Spark's event log."""
    texts = {f"checkpoint {path.name}": read(path) for path in running.checkpoint.rglob("*") if path.is_file()}
    return texts | {
        f"event log {path.name}": read(path) for path in (spark_folder / "events").rglob("*") if path.is_file()
    }


def test_a_secret_that_a_connection_is_made_with_is_in_no_log_and_no_error(
    guarded: KafkaCluster,
    certificates: Certificates,
    program: ProgramListing,
    planted: Planted,
    source: Source,
    everything_logged: Callable[[], str],
    fresh_name: Name,
) -> None:
    topic = fresh_name("topic")
    guarded.create_topic(topic)
    key, trust = certificates.text("user.key"), certificates.text("broker.pem")
    planted.all.append(key.split()[3])
    guarded.set_password("reader", planted.login)
    tls = {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": trust}
    identity = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": key,
        "ssl.keystore.certificate.chain": certificates.text("user.pem"),
    }
    scram = {**guarded.properties("reader"), "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512", **tls}
    plain = scram["sasl.jaas.config"].replace("scram.Scram", "plain.Plain")
    ways = {
        "SCRAM": scram,
        "MUTUAL": {"security.protocol": "SSL", **tls, **identity},
        "PLAIN": {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.jaas.config": plain},
    }
    errors = []
    for listener, properties in ways.items():
        metadata = ClusterMetadata([topic], {**properties, "bootstrap.servers": guarded.secure_address(listener)})
        program.publish("orders", {"guarded": metadata})
        read = source(program.service, "orders").bounded().load()
        if listener == "PLAIN":  # whose users have passwords of their own
            with pytest.raises(Exception, match="AUTHENTICATION_FAILED") as refused:
                read.count()
            errors.append(str(refused.value))
        else:
            assert read.count() == 0
    texts = {"errors": "".join(errors), "log": everything_logged()}
    assert {where: planted.found(text) for where, text in texts.items() if planted.found(text)} == {}


def test_kafkas_clients_do_not_print_what_they_are_opened_with(
    a: KafkaCluster, file: FileListing, planted: Planted, source: Source, log: SessionLog, fresh_name: Name
) -> None:
    topic = fresh_name("topic")
    a.create_topic(topic)
    write(a, topic, "1")
    file.publish("orders", {"a": with_secrets(a, topic, planted)})
    assert source(file.service, "orders").bounded().load().count() == 1
    assert log.lines("Config values:") == []
    assert log.lines("INFO AppInfoParser"), "clients were opened, and their other lines are there"


REFUSED_BY_KAFKA = {
    "no number": {"request.timeout.ms": "{secret}"},
    "no protocol": {"security.protocol": "{secret}"},
    "no login": {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.jaas.config": "{secret}"},
    "no address": {"bootstrap.servers": "{secret}"},
}


@pytest.mark.parametrize("properties", REFUSED_BY_KAFKA.values(), ids=REFUSED_BY_KAFKA)
def test_a_secret_that_kafka_refuses_where_it_stands_is_in_no_error(
    properties: dict[str, str],
    a: KafkaCluster,
    file: FileListing,
    planted: Planted,
    source: Source,
    everything_logged: Callable[[], str],
) -> None:
    # Of properties that are not passwords Kafka itself logs the values, once it accepts them as such.
    wrong = {name: value.format(secret=planted.literal) for name, value in properties.items()}
    file.publish("orders", {"a": ClusterMetadata(["any"], {**a.properties(), **wrong})})
    with pytest.raises(Exception, match="DYNAMIC_KAFKA_") as failed:
        source(file.service, "orders").bounded().load().collect()
    assert find_error(failed.value) is not None
    assert planted.found(str(failed.value)) == []
    if not properties.keys() & {"bootstrap.servers", "metric.reporters"}:
        assert planted.found(everything_logged()) == []


def test_a_file_that_is_wrong_around_a_secret_does_not_show_it(
    a: KafkaCluster, file: FileListing, planted: Planted, queries: Queries, source: Source
) -> None:
    file.publish("orders", {"a": with_secrets(a, "any", planted)})
    text = file.path.read_text()
    wrong = {
        "unknown field": text.replace("topics:", f"topic {planted.literal}:"),
        "not closed": text + f'\n  - "{planted.literal}',
        "wrong type": text.replace(f"ssl.key.password: {planted.literal}", f"ssl.key.password: [{planted.literal}]"),
    }
    for kind, changed in wrong.items():
        assert changed != text, kind
        file.write(changed)
        error = queries.start(source(file.service, "orders").load()).await_failure()
        seen = [place for place in planted.found(str(error)) if kind != "unknown field"]
        assert seen == [], kind


def test_a_literal_secret_in_an_option_gets_a_warning_that_names_the_placeholders(
    a: KafkaCluster,
    file: FileListing,
    planted: Planted,
    source: Source,
    everything_logged: Callable[[], str],
    fresh_name: Name,
) -> None:
    topic = fresh_name("topic")
    a.create_topic(topic)
    file.publish("orders", {"a": on(a, topic)})
    source(file.service, "orders").kafka_property("ssl.key.password", planted.literal).bounded().load().count()
    warnings = [
        line for line in everything_logged().splitlines() if " WARN " in line and "kafka.ssl.key.password" in line
    ]
    assert warnings
    assert "${file:" in warnings[0]
    assert "${env:" in warnings[0]


def read(path: Path) -> str:
    return path.read_bytes().decode(errors="replace")
