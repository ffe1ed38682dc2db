"""Secrets are in nothing that reports a failure: errors, tracebacks, logs, events, pages."""

import traceback
from collections.abc import Callable

import pytest
from dynamic_kafka import ClusterMetadata, find_error
from dynamic_kafka.errors import MetadataTypeError
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.cluster.certificates import Certificates
from tests.cluster.tokens import TokenEndpoint
from tests.scenarios import shown_places
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import FileListing
from tests.scenarios.planted import Planted
from tests.scenarios.producing import write
from tests.scenarios.scene import Scene
from tests.scenarios.secured import by_token
from tests.scenarios.shown_places import Events


def failures(
    a: KafkaCluster, guarded: KafkaCluster, topic: str, planted: Planted, tokens: TokenEndpoint, known: Certificates
) -> dict[str, tuple[str, ClusterMetadata]]:
    """By what is wrong: the condition of the error, and the topic on a cluster with all secrets that fit there."""
    login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
    no_store = {name: value for name, value in planted.properties().items() if not name.startswith("ssl.")}
    tls = {**no_store, "security.protocol": "SSL", "bootstrap.servers": guarded.secure_address("TLS")}
    no_token = by_token(known, tokens.url, planted.control, planted.by_way["login"])
    no_token["bootstrap.servers"] = guarded.secure_address("OAUTH")
    aged_out = ClusterMetadata([topic], planted.on(a, topic).properties, starting_offsets={topic: {"0": 0}})
    return {
        "refused login": (
            "AUTHENTICATION_FAILED",
            planted.on(a, topic, {**login, "bootstrap.servers": guarded.secure_address("PLAIN")}),
        ),
        "refused token": ("AUTHENTICATION_FAILED", ClusterMetadata([topic], no_token)),
        "refused certificate": ("AUTHENTICATION_FAILED", ClusterMetadata([topic], tls)),
        "out of reach": ("CLUSTER_UNREACHABLE", planted.on(a, topic, {"bootstrap.servers": "127.0.0.1:1"})),
        "refused property": ("INVALID_METADATA", planted.on(a, topic, {"auto.offset.reset": planted.literal})),
        "class that is not there": ("INVALID_METADATA", planted.on(a, topic, {"metric.reporters": "com.example.None"})),
        "key that is none": (
            "INVALID_METADATA",
            planted.on(a, topic, {"security.protocol": "SSL", "ssl.keystore.type": "PEM"}),
        ),
        "placeholder without a file": ("AUTHENTICATION_FAILED", planted.on(a, topic, {"x": "${file:/nowhere}"})),
        "offset that is gone": ("DATA_LOSS", aged_out),
    }


def test_a_secret_is_in_no_error_traceback_or_log_of_any_failure(
    a: KafkaCluster,
    guarded: KafkaCluster,
    tokens: TokenEndpoint,
    certificates: Certificates,
    scene: Scene,
    planted: Planted,
    everything_logged: Callable[[], str],
    fresh_name: Name,
) -> None:
    topic = fresh_name("topic")
    for cluster in (a, guarded):
        cluster.create_topic(topic)
    write(a, topic, "1", "2")
    a.delete_records(topic, {0: 1})
    for kind, (condition, metadata) in failures(a, guarded, topic, planted, tokens, certificates).items():
        scene.publish("orders", {planted.control: metadata})
        limit = "2s" if condition == "CLUSTER_UNREACHABLE" else "10s"
        read = scene.read("orders").cluster_request_timeout(limit).cluster_read_timeout("3s").bounded()
        read.group_id_prefix(planted.group_id_prefix)
        with pytest.raises(Exception, match=f"DYNAMIC_KAFKA_{condition}") as failed:
            read.load().collect()
        text = "".join(traceback.format_exception(failed.value)) + repr(find_error(failed.value))
        assert planted.found(text) == [], kind
        assert planted.shows(text), kind
    logged = everything_logged()
    assert planted.found(logged) == []
    assert planted.shows(logged)
    with pytest.raises(MetadataTypeError) as wrong:
        ClusterMetadata([topic], {"ssl.key.password": planted.literal.encode()})  # type: ignore[dict-item]
    assert planted.found("".join(traceback.format_exception(wrong.value, chain=True))) == []


def written(spark: SparkSession, events_logged: Callable[[], str], planted: Planted) -> str:
    """Spark's event log. It is written by a thread of its own, and out on the disk with each job."""

    def log() -> str:
        assert spark.range(1).count() == 1
        return events_logged()

    return eventually("the event log has come to the control", log, until=planted.shows, within=20)


def test_a_secret_is_in_no_place_that_reports_a_failed_query(
    spark: SparkSession, a: KafkaCluster, scene: Scene, planted: Planted, events_logged: Callable[[], str]
) -> None:
    events = Events()
    spark.streams.addListener(events)
    scene.publish("orders", {planted.control: planted.on(a, "any", {"bootstrap.servers": "127.0.0.1:1"})})
    running = scene.start(scene.read("orders").cluster_request_timeout("1s").load())
    error = running.await_failure()
    eventually("the listener hears of the end", lambda: events.ended, within=20)
    spark.streams.removeListener(events)
    texts = {
        "error": str(error) + repr(error),
        "query": str(running.query.exception()),
        "listeners": "".join(events.texts),
        "event log": written(spark, events_logged, planted),
        "UI": shown_places.ui(spark, running),
    }
    assert {place: planted.found(text) for place, text in texts.items() if planted.found(text)} == {}
    assert [place for place, text in texts.items() if not planted.shows(text)] == []


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
    if "bootstrap.servers" not in properties:
        assert planted.found(everything_logged()) == []


def test_a_file_that_is_wrong_around_a_secret_does_not_show_it(
    a: KafkaCluster, file: FileListing, planted: Planted, filed: Scene
) -> None:
    filed.publish("orders", {"a": planted.on(a, "any")})
    text = file.path.read_text()
    wrong = {
        "unknown field": text.replace("topics:", f"topic {planted.literal}:"),
        "not closed": text + f'\n  - "{planted.literal}',
        "wrong type": text.replace(f"ssl.key.password: {planted.literal}", f"ssl.key.password: [{planted.literal}]"),
    }
    for kind, changed in wrong.items():
        assert changed != text, kind
        file.write(changed)
        error = filed.start(filed.read("orders").load()).await_failure()
        # The name of a field is shown; here it holds the secret that is written out.
        shown = "written out" if kind == "unknown field" else ""
        seen = [place for place in planted.found(str(error)) if not (shown and place.startswith(shown))]
        assert seen == [], kind
