"""What the builder collects, and what it refuses."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dynamic_kafka import (
    DynamicKafkaSource,
    HttpMetadataService,
    InMemoryMetadataService,
    JvmMetadataService,
    KafkaStream,
    MetadataService,
    SingleClusterMetadataService,
    YamlFileMetadataService,
    _builder,
)
from dynamic_kafka import DynamicKafkaSourceBuilder as Builder
from dynamic_kafka._load import _described
from dynamic_kafka.errors import InvalidOptionError


class Loads:
    """Stands where a builder hands over, and records what came."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.batch = False
        monkeypatch.setattr(_builder, "load", self._load)

    def _load(self, _spark: object, options: dict[str, Any], *, batch: bool) -> dict[str, Any]:
        self.batch = batch
        return _described(options)

    def options(self, build: Callable[[Builder], Builder]) -> Any:
        """The options as the reader would get them."""
        return build(DynamicKafkaSource.builder(None)).load()  # type: ignore[arg-type]


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Loads:
    return Loads(monkeypatch)


@pytest.mark.parametrize(
    ("build", "options"),
    [
        (lambda b: b.stream_ids("orders", "a,b", "ü"), {"streamIds": '["orders", "a,b", "ü"]'}),
        (lambda b: b.stream_pattern("orders-.*"), {"streamPattern": "orders-.*"}),
        (lambda b: b.stream_subscriber("org.acme.Chooser"), {"streamSubscriber": "org.acme.Chooser"}),
        (lambda b: b.starting_offsets("earliest"), {"startingOffsets": "earliest"}),
        (lambda b: b.starting_offsets({"eu": {"t": {0: 7}}}), {"startingOffsets": '{"eu":{"t":{"0":7}}}'}),
        (lambda b: b.new_cluster_offsets({"timestamp": 5}), {"newClusterOffsets": '{"timestamp":5}'}),
        (lambda b: b.metadata_discovery_interval(-1), {"metadataDiscoveryInterval": "-1"}),
        (lambda b: b.fail_on_data_loss(False), {"failOnDataLoss": "false"}),
        (lambda b: b.max_offsets_per_trigger(100_000), {"maxOffsetsPerTrigger": "100000"}),
        (lambda b: b.removed_cluster_policy("stop"), {"removedClusterPolicy": "stop"}),
        (lambda b: b.kafka_property("client.rack", "eu-west-1a"), {"kafka.client.rack": "eu-west-1a"}),
        (lambda b: b.kafka_property("max.poll.records", 500), {"kafka.max.poll.records": "500"}),
        (lambda b: b.option("maxOffsetsPerTrigger", 5), {"maxOffsetsPerTrigger": "5"}),
        (lambda b: b.option("failOnDataLoss", True), {"failOnDataLoss": "true"}),
        (lambda b: b.options(commitOffsets=False, groupIdPrefix="x"), {"commitOffsets": "false", "groupIdPrefix": "x"}),
        (lambda b: b.metadata_service("org.acme.Service"), {"metadataService": "org.acme.Service"}),
        (
            lambda b: b.metadata_service(JvmMetadataService("org.acme.Service", url="http://x", retries=3, tls=True)),
            {
                "metadataService": "org.acme.Service",
                "metadataService.url": "http://x",
                "metadataService.retries": "3",
                "metadataService.tls": "true",
            },
        ),
        (
            lambda b: b.metadata_service(SingleClusterMetadataService("eu-1", {"bootstrap.servers": "b1:9092"})),
            {
                "metadataService": "single-cluster",
                "metadataService.clusterId": "eu-1",
                "metadataService.bootstrap.servers": "b1:9092",
            },
        ),
    ],
)
def test_a_method_sets_its_option(loads: Loads, build: Callable[[Builder], Builder], options: object) -> None:
    assert loads.options(build) == options


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        ("10s", "10s"),
        (timedelta(), "0s"),
        (timedelta(minutes=2), "120s"),
        (timedelta(milliseconds=1500), "1500ms"),
        (timedelta(days=30), "2592000s"),
    ],
)
def test_a_duration_gets_a_unit(loads: Loads, duration: Any, text: str) -> None:
    assert loads.options(lambda b: b.drain_timeout(duration)) == {"drainTimeout": text}


@pytest.mark.parametrize("duration", [timedelta(seconds=-1), timedelta(microseconds=100)])
def test_a_duration_that_makes_no_sense_is_a_value_error(duration: timedelta) -> None:
    with pytest.raises(ValueError, match="drainTimeout"):
        Builder(None).drain_timeout(duration)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [0, 10, -1, 1.5, float("nan")])
def test_a_bare_number_is_no_duration_and_the_error_says_what_to_write(number: Any) -> None:
    wanted = f"drainTimeout is {number}, a number without a unit; write a str with a unit, such as '10s', or"
    with pytest.raises(TypeError, match=re.escape(wanted)) as caught:
        Builder(None).drain_timeout(number)  # type: ignore[arg-type]
    assert isinstance(caught.value, InvalidOptionError)


@pytest.mark.parametrize("number", [0, 30, 1.5, -2])
def test_of_bare_numbers_the_discovery_interval_takes_minus_one_alone(number: Any) -> None:
    with pytest.raises(TypeError, match=r"metadataDiscoveryInterval is .* a number without a unit"):
        Builder(None).metadata_discovery_interval(number)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda b: b.stream_ids(["orders"]), r"is of type list; .*stream_ids\(\*ids\)"),
        (lambda b: b.stream_ids("orders", 1), "is of type int"),
        (lambda b: b.stream_pattern(1), "streamPattern is of type int; expected a str"),
        (lambda b: b.stream_subscriber(1), "stream_subscriber is of type int"),
        (lambda b: b.metadata_service(None), "metadata_service is of type NoneType"),
        (lambda b: b.drain_timeout(True), "drainTimeout is of type bool"),
        (lambda b: b.drain_timeout(None), "drainTimeout is of type NoneType"),
        (lambda b: b.fail_on_data_loss("no"), "failOnDataLoss is of type str; expected a bool"),
        (lambda b: b.max_offsets_per_trigger(1.5), "maxOffsetsPerTrigger is of type float; expected an int"),
        (lambda b: b.max_offsets_per_trigger(True), "maxOffsetsPerTrigger is of type bool"),
        (lambda b: b.starting_offsets(5), "startingOffsets is of type int"),
        (lambda b: b.starting_offsets({"eu": {"t": {"0": None}}}), r"startingOffsets\.eu\.t\.0 is of type NoneType"),
        (lambda b: b.option("a", None), "a is of type NoneType"),
        (lambda b: b.kafka_property("a", ["b"]), r"kafka\.a is of type list"),
        (lambda _: YamlFileMetadataService(7), "path is of type int"),  # type: ignore[arg-type]
        (lambda _: HttpMetadataService(7), "url is of type int"),  # type: ignore[arg-type]
        (lambda _: HttpMetadataService("x", token_file=7), "token_file is of type int"),  # type: ignore[arg-type]
        (lambda _: HttpMetadataService("x", ca_file=b"x"), "ca_file is of type bytes"),  # type: ignore[arg-type]
        (lambda _: JvmMetadataService("x", url=None), r"metadataService\.url is of type NoneType"),  # type: ignore[arg-type]
        (lambda _: SingleClusterMetadataService("x", "b1:9092"), "properties is of type str"),  # type: ignore[arg-type]
    ],
)
def test_a_value_of_a_wrong_type_is_refused(build: Callable[[Any], object], message: str) -> None:
    with pytest.raises(TypeError, match=message) as caught:
        build(Builder(None))  # type: ignore[arg-type]
    assert isinstance(caught.value, InvalidOptionError)
    assert caught.value.condition == "DYNAMIC_KAFKA_INVALID_OPTION"


def test_no_stream_id_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Builder(None).stream_ids()  # type: ignore[arg-type]


def test_of_two_values_the_later_one_counts_whatever_the_case_of_the_name(loads: Loads) -> None:
    assert loads.options(lambda b: b.drain_timeout("5s").option("DRAINTIMEOUT", "7s")) == {"DRAINTIMEOUT": "7s"}


@pytest.mark.parametrize("first", [True, False])
def test_an_explicit_option_beats_the_services_own(loads: Loads, first: bool) -> None:
    def build(builder: Builder) -> Builder:
        if first:
            builder.option("metadataService.url", "mine")
        builder.metadata_service(JvmMetadataService("org.acme.Service", url="its own"))
        return builder if first else builder.option("metadataService.url", "mine")

    assert loads.options(build)["metadataService.url"] == "mine"


def test_another_service_takes_the_configuration_of_the_first_away(loads: Loads) -> None:
    first, second = JvmMetadataService("a", url="x"), JvmMetadataService("b")
    options = loads.options(lambda b: b.metadata_service(first).metadata_service(second))
    assert options == {"metadataService": "b"}


def test_an_object_of_pythons_is_handed_over_as_it_is(loads: Loads) -> None:
    service = InMemoryMetadataService()
    assert loads.options(lambda b: b.metadata_service(service).stream_subscriber(len)) == {  # type: ignore[arg-type]
        "metadataService": service,
        "streamSubscriber": len,
    }


@pytest.mark.parametrize(
    ("build", "options"),
    [
        (lambda b: b.bounded(), {}),
        (lambda b: b.bounded("latest"), {"endingOffsets": "latest"}),
        (lambda b: b.bounded(ending_offsets={"eu": "latest"}), {"endingOffsets": '{"eu":"latest"}'}),
        (lambda b: b.ending_offsets("latest").bounded(), {"endingOffsets": "latest"}),
    ],
)
def test_bounded_makes_it_a_batch_read(loads: Loads, build: Callable[[Builder], Builder], options: object) -> None:
    assert loads.options(build) == options
    assert loads.batch


def test_ending_offsets_of_a_streaming_read_are_refused_at_load() -> None:
    with pytest.raises(InvalidOptionError, match=r"endingOffsets.*a streaming read has no end"):
        Builder(None).ending_offsets("latest").load()  # type: ignore[arg-type]


def test_a_builder_serves_for_several_reads(loads: Loads) -> None:
    builder = DynamicKafkaSource.builder(None).stream_ids("orders")  # type: ignore[arg-type]
    assert loads.options(lambda _: builder) == {"streamIds": '["orders"]'}
    assert loads.options(lambda _: builder) == {"streamIds": '["orders"]'}
    assert not loads.batch


@pytest.mark.parametrize(
    ("path", "option"),
    [
        ("streams.yaml", os.path.abspath("streams.yaml")),
        (Path("streams.yaml"), os.path.abspath("streams.yaml")),
        ("/etc/streams.yaml", "/etc/streams.yaml"),
        ("s3a://bucket/streams.yaml", "s3a://bucket/streams.yaml"),
        ("file:/etc/streams.yaml", "file:/etc/streams.yaml"),
        ("${env:STREAMS}", "${env:STREAMS}"),
    ],
)
def test_a_local_path_begins_at_the_folder_of_python(path: str, option: str) -> None:
    assert YamlFileMetadataService(path).config == {"path": option}


def test_a_service_over_http_is_described_by_its_options() -> None:
    assert HttpMetadataService("https://h/streams").config == {"url": "https://h/streams"}
    service = HttpMetadataService("https://h", token_file=Path("token"), ca_file=Path("/ca.pem"))
    assert service.class_name == "http"
    assert service.config == {
        "url": "https://h",
        "tokenFile": os.path.abspath("token"),
        "caFile": "/ca.pem",
    }
    assert (
        HttpMetadataService("https://h", token_file=Path("${env:TOKEN_FILE}")).config["tokenFile"]
        == "${env:TOKEN_FILE}"
    )


@pytest.mark.parametrize(
    ("service", "shown"),
    [
        (HttpMetadataService("https://h/a", token_file=Path("/t")), "HttpMetadataService('https://h/a')"),
        (HttpMetadataService("https://me:hunter2@h/a?key=hunter2"), "HttpMetadataService('https://...@h/a')"),
        (
            SingleClusterMetadataService("eu-1", {"sasl.jaas.config": "hunter2", "bootstrap.servers": "b1:9092"}),
            "SingleClusterMetadataService('eu-1', {'bootstrap.servers': 'b1:9092', 'sasl.jaas.config': ...})",
        ),
        (YamlFileMetadataService("/etc/streams.yaml"), "YamlFileMetadataService('/etc/streams.yaml')"),
        (YamlFileMetadataService("s3a://k:hunter2@b/s.yaml"), "YamlFileMetadataService('s3a://...@b/s.yaml')"),
        (JvmMetadataService("org.acme.Service", url="hunter2"), "JvmMetadataService('org.acme.Service', url=...)"),
    ],
)
def test_a_description_of_a_service_shows_addresses_and_no_other_value(service: object, shown: str) -> None:
    assert repr(service) == shown


class Registry(MetadataService):
    """Shows a secret, as a data class would."""

    def __repr__(self) -> str:
        return "Registry('hunter2')"

    def all_streams(self) -> tuple[KafkaStream, ...]:
        return ()


@pytest.mark.parametrize(
    ("build", "shown"),
    [
        (lambda b: b, ""),
        (lambda b: b.stream_ids("orders").drain_timeout("5m"), "streamIds='[\"orders\"]', drainTimeout='5m'"),
        (lambda b: b.option("STREAMPATTERN", "o.*"), "STREAMPATTERN='o.*'"),
        (lambda b: b.kafka_property("bootstrap.servers", "b1:9092"), "kafka.bootstrap.servers='b1:9092'"),
        (lambda b: b.kafka_property("ssl.key.password", "hunter2"), "kafka.ssl.key.password=..."),
        (lambda b: b.option("metadataService.token", "hunter2"), "metadataService.token=..."),
        (lambda b: b.option("no.such.option", "hunter2"), "no.such.option=..."),
        (lambda b: b.metadata_service("org.acme.Service"), "metadataService='org.acme.Service'"),
        (
            lambda b: b.metadata_service(YamlFileMetadataService("/streams.yaml")),
            "metadataService=YamlFileMetadataService('/streams.yaml')",
        ),
        (lambda b: b.metadata_service(InMemoryMetadataService()), "metadataService=InMemoryMetadataService([])"),
        (lambda b: b.metadata_service(Registry()), "metadataService=<Registry>"),
        (lambda b: b.stream_subscriber(lambda _: ["hunter2"]), "streamSubscriber=<function>"),
    ],
)
def test_the_builder_shows_its_own_options_and_addresses_and_no_other_value(
    build: Callable[[Builder], Builder], shown: str
) -> None:
    assert repr(build(Builder(None))) == f"DynamicKafkaSourceBuilder({shown})"  # type: ignore[arg-type]


def test_every_option_of_the_source_has_a_method_and_every_method_an_option() -> None:
    beside = {"option", "options", "kafka_property", "bounded", "load"}
    methods = {name for name in dir(Builder) if not name.startswith("_")} - beside
    assert methods == {option.python_name for option in import_module("dynamic_kafka._options").OPTIONS}
