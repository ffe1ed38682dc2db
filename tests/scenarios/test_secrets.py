"""A secret of the metadata, or behind a placeholder, is nowhere but in Kafka's clients. What executors of
their own write is searched by test_secrets_on_executors.py."""

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dynamic_kafka import ClusterMetadata, DynamicKafkaSource, DynamicKafkaSourceBuilder, KafkaStream, find_error
from dynamic_kafka.errors import MetadataTypeError
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.cluster.certificates import Certificates
from tests.scenarios import shown_places
from tests.scenarios.conftest import Source
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.listing import FileListing, Listing, ProgramListing, on
from tests.scenarios.planted import Planted
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.session_log import SessionLog
from tests.scenarios.shown_places import Events

Name = Callable[[str], str]


@pytest.fixture
def planted(spark: SparkSession, tmp_path: Path) -> Iterator[Planted]:
    secrets, jvm = Planted(tmp_path), DriverJvm(spark)
    jvm.set_system_property("dynamic.kafka.tests", secrets.control)
    yield secrets
    jvm.set_system_property("dynamic.kafka.tests", "")


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


# Each place that is searched; docs/security.md lists the same. In each the control must be found, too, or nothing was
# searched there.
PLACES = {
    "log": "the driver's log at DEBUG, which in local mode is the executor's, too",
    "printed": "what the program prints, plans in all modes of `explain` included",
    "event log": "Spark's event log",
    "UI": "the pages of Spark's UI and its REST interface, accumulators of tasks included",
    "progress": "the JSON of progress",
    "listeners": "what query listeners in Python are told",
    "checkpoint": "all files of the checkpoint",
    "texts in Python": "`repr` and `str` of services, streams, clusters, builders and frames",
    "texts in Scala": "`toString` of streams, clusters, services and builders",
    "threads": "the names of threads",
    "beans": "management beans of Kafka's clients, with their values",
    "system properties": "system properties",
}


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
    topic, events, control = new_topic(fresh_name, a, b), Events(), planted.control
    spark.streams.addListener(events)
    listing.publish(control, {control: planted.on(a, topic)})
    builder = source(listing.service, control).group_id_prefix(f"spark-dynamic-kafka-{control}")
    for name, value in planted.options().items():
        builder.option(name, value)
    rows = builder.load()
    running = queries.start(rows)
    running.await_values(expected := write(a, topic, "1"))
    listing.publish(control, {control: planted.on(a, topic), "b": planted.on(b, topic)})
    running.await_values(expected + write(b, topic, "2"))
    running.await_committed()
    texts = shown_while_it_runs(spark, builder, running, control)
    rows.explain("formatted")
    running.stop()
    eventually("the listener hears of the end", lambda: events.ended, within=20)
    spark.streams.removeListener(events)
    stream = KafkaStream(control, {control: planted.on(a, topic)})
    texts["texts in Python"] = texts_in_python(listing.service, stream, stream.clusters, builder, rows, rows.schema)
    texts["texts in Scala"] = texts_in_scala(spark, stream)
    texts["listeners"] = "".join(events.texts)
    texts["checkpoint"] = shown_places.files(running.checkpoint)
    texts["event log"] = shown_places.files(spark_folder / "events")
    texts |= {"printed": "".join(capfd.readouterr()), "log": everything_logged()}
    assert texts.keys() == PLACES.keys()
    assert {place: planted.found(text) for place, text in texts.items() if planted.found(text)} == {}
    assert [place for place, text in texts.items() if not planted.shows(text)] == [], "the search finds the control"


def shown_while_it_runs(
    spark: SparkSession, builder: DynamicKafkaSourceBuilder, running: Running, control: str
) -> dict[str, str]:
    """By place, of the query and of a batch read of the same; the plans of both are printed."""
    jvm = DriverJvm(spark)
    texts = {"threads": "\n".join(jvm.threads()), "beans": jvm.beans_with_values("kafka.*:*")}
    running.query.explain(True)
    spark.sparkContext.setJobDescription(control)
    rows = builder.bounded().load()
    assert rows.count() == 2
    spark.sparkContext.setJobDescription("")
    for mode in ("simple", "extended", "codegen", "cost", "formatted"):
        rows.explain(mode=mode)
    texts["UI"] = shown_places.ui(spark, running)
    texts["progress"] = "".join(one.json for one in running.query.recentProgress)
    texts["system properties"] = str(jvm.system_properties())
    return texts


def texts_in_python(*values: object) -> str:
    return "".join(f"{value!r}{value}" for value in (DynamicKafkaSource, *values))


def texts_in_scala(spark: SparkSession, stream: KafkaStream) -> str:
    """The text forms of the public classes, made of this stream."""
    assert spark._jvm is not None
    java, ours = spark._jvm.java, spark._jvm.io.github.dynamickafka.spark
    metadata = ours.ClusterMetadata
    clusters = java.util.HashMap()
    for cluster_id, cluster in stream.clusters.items():
        topics, properties = java.util.HashSet(), java.util.HashMap()
        for topic in cluster.topics:
            topics.add(topic)
        for name, value in cluster.properties.items():
            properties.put(name, value)
        clusters.put(cluster_id, metadata(topics, properties))
    same = ours.KafkaStream(stream.stream_id, clusters)
    memory = ours.InMemoryMetadataService()
    memory.put(same)
    builder = ours.DynamicKafkaSource.builder(spark._jsparkSession).metadataService(memory)
    for cluster in stream.clusters.values():
        for name, value in cluster.properties.items():
            builder = builder.kafkaProperty(name, value)
    return "\n".join(str(value.toString()) for value in (same, clusters, memory, memory.getAllStreams(), builder))


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
    for number, part in enumerate(key.split()[3:-3], 1):
        planted.add(f"part {number} of the key", part)
    guarded.set_password("reader", planted.by_way["login"])
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
    errors = ""
    for listener, properties in ways.items():
        metadata = ClusterMetadata([topic], {**properties, "bootstrap.servers": guarded.secure_address(listener)})
        program.publish("orders", {"guarded": metadata})
        read = source(program.service, "orders").bounded().load()
        if listener == "PLAIN":  # whose users have passwords of their own
            with pytest.raises(Exception, match="AUTHENTICATION_FAILED") as refused:
                read.count()
            errors = str(refused.value)
        else:
            assert read.count() == 0
    assert planted.found(errors + everything_logged()) == []


def failures(
    a: KafkaCluster, guarded: KafkaCluster, topic: str, planted: Planted
) -> dict[str, tuple[str, ClusterMetadata]]:
    """By what is wrong: the condition of the error, and the topic on a cluster with all secrets that fit there."""
    login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
    no_store = {name: value for name, value in planted.properties().items() if not name.startswith("ssl.")}
    tls = {**no_store, "security.protocol": "SSL", "bootstrap.servers": guarded.secure_address("TLS")}
    aged_out = ClusterMetadata([topic], planted.on(a, topic).properties, starting_offsets={topic: {"0": 0}})
    return {
        "refused login": (
            "AUTHENTICATION_FAILED",
            planted.on(a, topic, {**login, "bootstrap.servers": guarded.secure_address("PLAIN")}),
        ),
        "refused certificate": ("AUTHENTICATION_FAILED", ClusterMetadata([topic], tls)),
        "out of reach": ("CLUSTER_UNREACHABLE", planted.on(a, topic, {"bootstrap.servers": "127.0.0.1:1"})),
        "refused property": ("INVALID_METADATA", planted.on(a, topic, {"auto.offset.reset": planted.literal})),
        "class that is not there": ("INVALID_METADATA", planted.on(a, topic, {"metric.reporters": "com.example.None"})),
        "key that is none": (
            "INVALID_METADATA",
            planted.on(a, topic, {"security.protocol": "SSL", "ssl.keystore.type": "PEM"}),
        ),
        "placeholder without a file": ("INVALID_METADATA", planted.on(a, topic, {"x": "${file:/nowhere}"})),
        "offset that is gone": ("DATA_LOSS", aged_out),
    }


def test_a_secret_is_in_no_error_traceback_or_log_of_any_failure(
    a: KafkaCluster,
    guarded: KafkaCluster,
    program: ProgramListing,
    planted: Planted,
    source: Source,
    everything_logged: Callable[[], str],
    fresh_name: Name,
) -> None:
    topic = new_topic(fresh_name, a, guarded)
    write(a, topic, "1", "2")
    a.delete_records(topic, {0: 1})
    for kind, (condition, metadata) in failures(a, guarded, topic, planted).items():
        program.publish("orders", {planted.control: metadata})
        read = source(program.service, "orders").cluster_request_timeout("2s").cluster_read_timeout("3s").bounded()
        with pytest.raises(Exception, match=f"DYNAMIC_KAFKA_{condition}") as failed:
            read.load().collect()
        text = "".join(traceback.format_exception(failed.value)) + repr(find_error(failed.value))
        assert planted.found(text) == [], kind
        assert planted.shows(text), kind
    assert planted.found(everything_logged()) == []
    with pytest.raises(MetadataTypeError) as wrong:
        ClusterMetadata([topic], {"ssl.key.password": planted.literal.encode()})  # type: ignore[dict-item]
    assert planted.found("".join(traceback.format_exception(wrong.value, chain=True))) == []


def test_kafkas_clients_do_not_print_what_they_are_opened_with(
    a: KafkaCluster, file: FileListing, planted: Planted, source: Source, log: SessionLog, fresh_name: Name
) -> None:
    topic = fresh_name("topic")
    a.create_topic(topic)
    write(a, topic, "1")
    file.publish("orders", {"a": planted.on(a, topic)})
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
    file.publish("orders", {"a": planted.on(a, "any")})
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
