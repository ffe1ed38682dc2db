"""A secret of the metadata, or behind a placeholder, is nowhere but in Kafka's clients. What executors of
their own write is searched by test_secrets_on_executors.py."""

from collections.abc import Callable

import pytest
from dynamic_kafka import ClusterMetadata, DynamicKafkaSource, DynamicKafkaSourceBuilder, KafkaStream
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.cluster.certificates import Certificates
from tests.cluster.tokens import TokenEndpoint
from tests.scenarios import shown_places
from tests.scenarios.conftest import Name, Source
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.listing import FileListing, Listing, on
from tests.scenarios.planted import Planted
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.scene import Scene
from tests.scenarios.secured import by_token
from tests.scenarios.session_log import SessionLog
from tests.scenarios.shown_places import Events


def new_topic(fresh_name: Name, *clusters: KafkaCluster) -> str:
    topic = fresh_name("topic")
    for cluster in clusters:
        cluster.create_topic(topic)
    return topic


# Each place that is searched. In each the control must be found, too, or nothing was searched there.
PLACES = {
    "log": "the driver's log at DEBUG, which in local mode is the executor's, too",
    "printed": "what the program prints, plans in all modes of `explain` included",
    "event log": "Spark's event log",
    "UI": "the pages of Spark's UI and its REST interface, accumulators of tasks included",
    "progress": "the JSON of progress",
    "listeners": "what query listeners in Python receive",
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
    events_logged: Callable[[], str],
    everything_logged: Callable[[], str],
    capfd: pytest.CaptureFixture[str],
    fresh_name: Name,
) -> None:
    topic, events, control = new_topic(fresh_name, a, b), Events(), planted.control
    spark.streams.addListener(events)
    listing.publish(control, {control: planted.on(a, topic)})
    builder = source(listing.service, control).group_id_prefix(planted.group_id_prefix)
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
    texts["event log"] = events_logged()
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
    assert f"dynamic-kafka streams {control}" in texts["progress"], "it names what is read"
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


def ways_in(guarded: KafkaCluster, certificates: Certificates) -> dict[str, dict[str, str]]:
    """By listener, the properties to connect with; those of PLAIN are refused, as its users have other passwords."""
    tls = {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": certificates.text("broker.pem")}
    identity = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": certificates.text("user.key"),
        "ssl.keystore.certificate.chain": certificates.text("user.pem"),
    }
    scram = {**guarded.properties("reader"), "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512", **tls}
    plain = scram["sasl.jaas.config"].replace("scram.Scram", "plain.Plain")
    return {
        "SCRAM": scram,
        "MUTUAL": {"security.protocol": "SSL", **tls, **identity},
        "PLAIN": {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.jaas.config": plain},
    }


def test_a_secret_that_a_connection_is_made_with_is_in_no_log_and_no_error(
    guarded: KafkaCluster,
    certificates: Certificates,
    tokens: TokenEndpoint,
    scene: Scene,
    planted: Planted,
    everything_logged: Callable[[], str],
    fresh_name: Name,
) -> None:
    topic = fresh_name("topic")
    guarded.create_topic(topic)
    for number, part in enumerate(certificates.text("user.key").split()[3:-3], 1):
        planted.add(f"part {number} of the key", part)
    guarded.set_password("reader", planted.by_way["login"])
    tokens.clients["reader"] = planted.by_way["login"]
    by_oauth = by_token(certificates, tokens.url, "reader", planted.by_way["login"])
    errors = ""
    for listener, properties in {**ways_in(guarded, certificates), "OAUTH": by_oauth}.items():
        metadata = ClusterMetadata([topic], {**properties, "bootstrap.servers": guarded.secure_address(listener)})
        scene.publish("orders", {planted.control: metadata})
        read = scene.read("orders").group_id_prefix(planted.group_id_prefix).bounded().load()
        if listener == "PLAIN":
            with pytest.raises(Exception, match="AUTHENTICATION_FAILED") as refused:
                read.count()
            errors = str(refused.value)
        else:
            assert read.count() == 0
    assert tokens.given
    for number, token in enumerate(tokens.given, 1):
        planted.add(f"token {number}", token)
    logged = everything_logged()
    assert planted.found(errors + logged) == []
    assert planted.shows(logged)


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
