"""Streams and clusters as values."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from dynamic_kafka import ClusterMetadata, InMemoryMetadataService, KafkaStream
from dynamic_kafka.errors import InvalidMetadataError

SECRET = "hunter2"
EU = ClusterMetadata(["orders"], {"bootstrap.servers": "b1:9092", "sasl.jaas.config": SECRET}, "earliest")
ORDERS = KafkaStream("orders", {"eu-1": EU})


@pytest.mark.parametrize("topics", [["b", "a"], ("a", "b"), {"a", "b"}, iter("ab"), {"a": 1, "b": 2}])
def test_any_iterable_of_topics_is_stored_frozen(topics: object) -> None:
    assert ClusterMetadata(topics, {}).topics == frozenset({"a", "b"})  # type: ignore[arg-type]


@pytest.mark.parametrize("topics", ["orders", b"orders", 7, None, [1], ["a", None]])
def test_topics_that_are_no_iterable_of_str_are_a_type_error(topics: object) -> None:
    with pytest.raises(TypeError, match=r"\[DYNAMIC_KAFKA_INVALID_METADATA\].*topics"):
        ClusterMetadata(topics, {})  # type: ignore[arg-type]


@pytest.mark.parametrize("properties", [None, [("a", "b")], {"a": 1}, {1: "a"}])
def test_properties_that_are_no_mapping_of_str_to_str_are_a_type_error(properties: object) -> None:
    with pytest.raises(TypeError, match="properties"):
        ClusterMetadata([], properties)  # type: ignore[arg-type]


def test_a_later_change_of_what_was_passed_changes_nothing() -> None:
    properties, clusters = {"a": "1"}, {"eu-1": EU}
    cluster, stream = ClusterMetadata([], properties), KafkaStream("orders", clusters)
    properties["a"] = "2"
    clusters.clear()
    assert (cluster.properties, stream.clusters) == ({"a": "1"}, {"eu-1": EU})


def test_values_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        ORDERS.stream_id = "refunds"  # type: ignore[misc]
    with pytest.raises(TypeError):
        EU.properties["a"] = "b"  # type: ignore[index]
    with pytest.raises(TypeError):
        ORDERS.clusters["us-1"] = EU  # type: ignore[index]


@pytest.mark.parametrize("shown", [repr(EU), str(EU), f"{ORDERS}", repr(ORDERS), repr([EU])])
def test_the_text_form_names_properties_and_shows_no_value(shown: str) -> None:
    assert "sasl.jaas.config" in shown
    assert SECRET not in shown
    assert "b1:9092" not in shown


def test_an_error_shows_no_property_value() -> None:
    with pytest.raises(TypeError) as caught:
        ClusterMetadata([], {"password": SECRET.encode()})  # type: ignore[dict-item]
    assert "password" in str(caught.value)
    assert SECRET not in str(caught.value)


def test_equal_values_are_equal_and_hash_alike() -> None:
    same = KafkaStream("orders", {"eu-1": ClusterMetadata({"orders"}, dict(EU.properties), "earliest")})
    assert same == ORDERS
    assert {same, ORDERS} == {ORDERS}
    assert dataclasses.replace(ORDERS, stream_id="refunds") != ORDERS


@pytest.mark.parametrize("value", [EU, ORDERS])
def test_a_value_survives_pickle_and_copies(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301, our own bytes
    assert copy.deepcopy(value) == value
    assert copy.copy(value) == value


@pytest.mark.parametrize(
    ("offsets", "text"),
    [
        ("latest", "latest"),
        ('{"orders": {"0": 1}}', '{"orders": {"0": 1}}'),
        ({"orders": {1: "latest", 0: 1200}}, '{"orders":{"0":1200,"1":"latest"}}'),
        ({"timestamp": 1700000000000}, '{"timestamp":1700000000000}'),
        (None, None),
    ],
)
def test_offsets_are_kept_as_text(offsets: object, text: str | None) -> None:
    cluster = ClusterMetadata([], {}, offsets, offsets)  # type: ignore[arg-type]
    assert (cluster.starting_offsets, cluster.ending_offsets) == (text, text)


@pytest.mark.parametrize("offsets", [7, ["earliest"], {"orders": {"0": 1.5}}, {"orders": True}, {None: 1}, {True: 1}])
def test_offsets_of_another_shape_are_a_type_error(offsets: object) -> None:
    with pytest.raises(TypeError, match="starting_offsets"):
        ClusterMetadata([], {}, starting_offsets=offsets)  # type: ignore[arg-type]


def test_a_partition_named_as_number_and_as_text_is_an_error() -> None:
    with pytest.raises(InvalidMetadataError, match=r"starting_offsets\.orders names 0 twice"):
        ClusterMetadata([], {}, starting_offsets={"orders": {0: 1, "0": 2}})  # type: ignore[dict-item]


def test_a_stream_checks_its_id_and_clusters() -> None:
    with pytest.raises(TypeError, match="stream_id"):
        KafkaStream(1, {})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="clusters is of type list"):
        KafkaStream("a", [EU])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"clusters\['eu-1'\] is of type dict; expected a ClusterMetadata"):
        KafkaStream("a", {"eu-1": {}})  # type: ignore[dict-item]


def test_the_in_memory_service_follows_put_remove_and_deactivate() -> None:
    service = InMemoryMetadataService([ORDERS])
    refunds = KafkaStream("refunds", {})
    service.put(refunds)
    assert set(service.all_streams()) == {ORDERS, refunds}
    assert service.describe_streams(["refunds", "unknown"]) == {"refunds": refunds}
    service.remove("refunds")
    service.remove("unknown")
    assert list(service.all_streams()) == [ORDERS]
    service.deactivate("eu-1")
    assert (service.is_cluster_active("eu-1"), service.is_cluster_active("us-1")) == (False, True)
    service.activate("eu-1")
    assert service.is_cluster_active("eu-1")
    with pytest.raises(TypeError, match="expected a KafkaStream"):
        service.put("orders")  # type: ignore[arg-type]
