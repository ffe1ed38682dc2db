"""Reads in one call are the builder's, and strict."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from dynamic_kafka import (
    DynamicKafkaSource,
    InMemoryMetadataService,
    ReadOptions,
    ReadStreamOptions,
    SingleClusterMetadataService,
    _builder,
    read,
    read_stream,
)
from dynamic_kafka import DynamicKafkaSourceBuilder as Builder
from dynamic_kafka.errors import InvalidOptionError, OptionTypeError

SERVICE = InMemoryMetadataService()
SPARK: Any = None


@pytest.fixture(autouse=True)
def loads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_builder, "load", lambda _spark, options, *, batch: (options, batch))


def built(builder: Builder) -> object:
    return builder.load()


def start() -> Builder:
    return DynamicKafkaSource.builder(SPARK).metadata_service(SERVICE)


def test_a_streaming_read_in_one_call_is_that_of_the_builder() -> None:
    one: object = read_stream(
        SPARK,
        SERVICE,
        "orders",
        "a,b",
        starting_offsets={"eu": {"t": {0: 7}}},
        drain_timeout="5m",
        fail_on_data_loss=False,
        kafka_properties={"client.rack": "a"},
        options={"maxOffsetsPerTrigger": 5},
    )
    many = start().stream_ids("orders", "a,b").starting_offsets({"eu": {"t": {0: 7}}}).drain_timeout("5m")
    many.fail_on_data_loss(False).kafka_property("client.rack", "a").option("maxOffsetsPerTrigger", 5)
    assert one == built(many)


def test_a_batch_read_in_one_call_is_bounded() -> None:
    one: object = read(SPARK, SERVICE, stream_pattern="o.*", ending_offsets="latest")
    assert one == built(start().stream_pattern("o.*").bounded("latest"))
    assert (read(SPARK, SERVICE, "a"), True) == (built(start().stream_ids("a").bounded()), True)


@pytest.mark.parametrize("name", sorted(ReadOptions.__annotations__.keys() - {"kafka_properties", "options"}))
def test_a_keyword_has_the_type_of_the_builders_method(name: str) -> None:
    *_self, value = inspect.signature(getattr(Builder, name)).parameters.values()
    declared = {**ReadStreamOptions.__annotations__, **ReadOptions.__annotations__}[name]
    assert declared.__forward_arg__ == value.annotation


def test_every_option_of_the_builder_has_a_keyword() -> None:
    beside = {"option", "bounded", "load", "kafka_property", "metadata_service", "stream_ids"}
    methods = {name for name in dir(Builder) if not name.startswith("_")} - beside
    assert ReadOptions.__annotations__.keys() - {"kafka_properties"} == methods
    assert ReadOptions.__annotations__.keys() - ReadStreamOptions.__annotations__.keys() == {"ending_offsets"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"startingOffsets": "latest"}, "no keyword startingOffsets; did you mean starting_offsets?"),
        ({"STARTINGOFFSETS": "latest"}, "did you mean starting_offsets?"),
        ({"max_offset_per_trigger": 5}, "did you mean max_offsets_per_trigger?"),
        ({"ending_offsets": "latest"}, "a streaming read has no end: use read"),
        ({"stream_ids": ["a"]}, "write them behind the service"),
        ({"qqq": 1, "load": 2}, r"keyword qqq; see ReadStreamOptions. There is no keyword load"),
    ],
)
def test_an_unknown_keyword_is_refused_with_what_to_write(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOptionError, match=message) as raised:
        read_stream(SPARK, SERVICE, "orders", **options)
    assert raised.value.option == (next(iter(options)) if len(options) == 1 else None)


def test_values_are_checked_as_by_the_builder() -> None:
    with pytest.raises(OptionTypeError, match="drainTimeout is 10, a number without a unit"):
        read_stream(SPARK, SERVICE, "orders", drain_timeout=10)  # type: ignore[arg-type]
    with pytest.raises(OptionTypeError, match="expected a str: pass a collection"):
        read_stream(SPARK, SERVICE, ["orders"])  # type: ignore[arg-type]
    with pytest.raises(OptionTypeError, match="kafka_properties is of type list"):
        read_stream(SPARK, SERVICE, "orders", kafka_properties=[])  # type: ignore[arg-type]
    with pytest.raises(OptionTypeError, match="expected a MetadataService"):
        read_stream(SPARK, None, "orders")  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["drainTimeout", "DRAINTIMEOUT"])
def test_an_option_that_is_set_in_two_ways_is_refused(key: str) -> None:
    with pytest.raises(InvalidOptionError, match=f"The option {key} is set twice"):
        read_stream(SPARK, SERVICE, "orders", drain_timeout="5m", options={key: "6m"})


def test_the_address_of_a_single_cluster_has_a_keyword() -> None:
    by_keyword = SingleClusterMetadataService("eu-1", {"client.id": "a"}, bootstrap_servers="b1:9092")
    assert by_keyword == SingleClusterMetadataService("eu-1", {"bootstrap.servers": "b1:9092", "client.id": "a"})
    assert (
        repr(by_keyword) == "SingleClusterMetadataService('eu-1', {'bootstrap.servers': 'b1:9092', 'client.id': ...})"
    )
    with pytest.raises(InvalidOptionError, match="set twice"):
        SingleClusterMetadataService("eu-1", {"bootstrap.servers": "b1:9092"}, bootstrap_servers="b2:9092")
    with pytest.raises(TypeError, match="bootstrap_servers is of type list"):
        SingleClusterMetadataService("eu-1", bootstrap_servers=["b1:9092"])  # type: ignore[arg-type]
