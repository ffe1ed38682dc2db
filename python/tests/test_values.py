"""Streams and clusters as values."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from dynamic_kafka import ClusterMetadata, InMemoryMetadataService, KafkaStream
from dynamic_kafka.errors import InvalidMetadataError

SECRET = "hunter2"
NEW_YEAR = datetime(2026, 1, 1, tzinfo=timezone.utc)
EU = ClusterMetadata(
    ["orders"],
    {"sasl.jaas.config": SECRET},
    bootstrap_servers="b1:9092",
    starting_offsets="earliest",
    continues="eu-0",
    paused=["orders"],
)
ORDERS = KafkaStream("orders", {"eu-1": EU})


@pytest.mark.parametrize("topics", [["b", "a"], ("a", "b"), {"a", "b"}, iter("ab"), {"a": 1, "b": 2}])
def test_any_iterable_of_topics_is_stored_frozen(topics: object) -> None:
    assert ClusterMetadata(topics, {}).topics == frozenset({"a", "b"})  # type: ignore[arg-type]


@pytest.mark.parametrize("topics", ["orders", b"orders", 7, None, [1], ["a", None]])
def test_topics_that_are_no_iterable_of_str_are_a_type_error(topics: object) -> None:
    with pytest.raises(TypeError, match=r"\[DYNAMIC_KAFKA_INVALID_METADATA\].*topics"):
        ClusterMetadata(topics, {})  # type: ignore[arg-type]


@pytest.mark.parametrize("properties", ["a=b", [("a", "b")], {"a": 1}, {1: "a"}])
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
    assert "b1:9092" in shown
    assert SECRET not in shown


@pytest.mark.parametrize(
    ("cluster", "shown"),
    [
        (ClusterMetadata([]), "ClusterMetadata([], {})"),
        (
            ClusterMetadata(["b", "a"], {"client.rack": "r"}, bootstrap_servers="b1:1", continues=["y", "x"]),
            "ClusterMetadata(['a', 'b'], {'bootstrap.servers': 'b1:1', 'client.rack': ...}, continues=['x', 'y'])",
        ),
        (
            ClusterMetadata([], {"bootstrap.servers": "b1:1"}, ending_offsets={"t": 1}, paused=["b", "a"]),
            "ClusterMetadata([], {'bootstrap.servers': 'b1:1'}, ending_offsets='{\"t\":1}', paused=['a', 'b'])",
        ),
        (ClusterMetadata([], paused=True), "ClusterMetadata([], {}, paused=True)"),
        (
            ClusterMetadata([], bootstrap_servers=f"SSL://me:{SECRET}@b1:1,SSL://b2:1"),
            "ClusterMetadata([], {'bootstrap.servers': 'SSL://...@b1:1,SSL://b2:1'})",
        ),
    ],
)
def test_the_text_form_shows_what_is_given(cluster: ClusterMetadata, shown: str) -> None:
    assert repr(cluster) == shown


def test_an_error_shows_no_property_value() -> None:
    with pytest.raises(TypeError) as caught:
        ClusterMetadata([], {"password": SECRET.encode()})  # type: ignore[dict-item]
    assert "password" in str(caught.value)
    assert SECRET not in str(caught.value)


def test_equal_values_are_equal_and_hash_alike() -> None:
    cluster = ClusterMetadata(
        {"orders"}, dict(EU.properties), starting_offsets="earliest", continues=["eu-0"], paused=iter(["orders"])
    )
    same = KafkaStream("orders", {"eu-1": cluster})
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
        ({"timestamp": "2026-01-01T00:00:00Z"}, '{"timestamp":"2026-01-01T00:00:00Z"}'),
        ({"timestamp": NEW_YEAR}, '{"timestamp":1767225600000}'),
        ({"orders": {0: {"timestamp": NEW_YEAR}}}, '{"orders":{"0":{"timestamp":1767225600000}}}'),
        ({"timestamp": NEW_YEAR.astimezone(timezone(timedelta(hours=-5)))}, '{"timestamp":1767225600000}'),
        # Between two milliseconds it is the later one: no record before the time is read.
        ({"timestamp": NEW_YEAR + timedelta(microseconds=1)}, '{"timestamp":1767225600001}'),
        (None, None),
    ],
)
def test_offsets_are_kept_as_text(offsets: object, text: str | None) -> None:
    cluster = ClusterMetadata([], starting_offsets=offsets, ending_offsets=offsets)  # type: ignore[arg-type]
    assert (cluster.starting_offsets, cluster.ending_offsets) == (text, text)


@pytest.mark.parametrize("offsets", [7, ["earliest"], {"orders": {"0": 1.5}}, {"orders": True}, {None: 1}, {True: 1}])
def test_offsets_of_another_shape_are_a_type_error(offsets: object) -> None:
    with pytest.raises(TypeError, match="starting_offsets"):
        ClusterMetadata([], {}, starting_offsets=offsets)  # type: ignore[arg-type]


def test_a_datetime_without_a_time_zone_is_refused_and_the_error_says_what_to_write() -> None:
    wanted = (
        "starting_offsets.orders.timestamp is 2026-01-01T00:00:00, a datetime without a time zone; write one with it, "
        "such as datetime(2026, 1, 1, tzinfo=timezone.utc)."
    )
    with pytest.raises(InvalidMetadataError, match=re.escape(wanted)):
        ClusterMetadata([], {}, starting_offsets={"orders": {"timestamp": NEW_YEAR.replace(tzinfo=None)}})


@pytest.mark.parametrize("offsets", [{"orders": {0: NEW_YEAR}}, {"orders": NEW_YEAR}])
def test_a_datetime_stands_under_timestamp_alone(offsets: Any) -> None:
    with pytest.raises(TypeError, match=re.escape('expected a time as {"timestamp": ...}')):
        ClusterMetadata([], {}, starting_offsets=offsets)


def test_a_partition_named_as_number_and_as_text_is_an_error() -> None:
    with pytest.raises(InvalidMetadataError, match=r"starting_offsets\.orders names 0 twice"):
        ClusterMetadata([], {}, starting_offsets={"orders": {0: 1, "0": 2}})  # type: ignore[dict-item]


def test_the_address_is_read_in_both_ways_however_it_was_given() -> None:
    for cluster in (
        ClusterMetadata([], bootstrap_servers="b1:1"),
        ClusterMetadata([], {"bootstrap.servers": "b1:1"}),
    ):
        assert (cluster.bootstrap_servers, cluster.properties) == ("b1:1", {"bootstrap.servers": "b1:1"})
    assert ClusterMetadata([]).bootstrap_servers is None


@pytest.mark.parametrize("other", ["b1:1", "b2:1"])
def test_an_address_that_is_given_twice_is_an_error(other: str) -> None:
    with pytest.raises(InvalidMetadataError, match="set twice: by bootstrap_servers and by properties"):
        ClusterMetadata([], {"bootstrap.servers": "b1:1"}, bootstrap_servers=other)


def test_an_address_that_is_no_str_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="bootstrap_servers is of type list; expected a str"):
        ClusterMetadata([], bootstrap_servers=["b1:1"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("continues", "kept"),
    [(None, ""), ([], ""), ("eu-0", "eu-0"), (["b", "a", "b"], "a b"), (iter("ab"), "a b"), ({"x": 1}, "x")],
)
def test_earlier_ids_are_one_or_several_and_kept_as_a_set(continues: Any, kept: str) -> None:
    assert ClusterMetadata([], continues=continues).continues == frozenset(kept.split())


@pytest.mark.parametrize("continues", [7, True, b"eu-0", [1], ["a", None]])
def test_earlier_ids_of_another_type_are_a_type_error(continues: Any) -> None:
    with pytest.raises(TypeError, match="continues"):
        ClusterMetadata([], continues=continues)


@pytest.mark.parametrize("continues", ["", ["eu-0", ""]])
def test_an_empty_earlier_id_is_an_error(continues: Any) -> None:
    with pytest.raises(InvalidMetadataError, match="continues names an empty id"):
        ClusterMetadata([], continues=continues)


@pytest.mark.parametrize(
    ("paused", "kept"),
    [(False, False), (True, True), ([], False), (["b", "a"], frozenset({"a", "b"})), (iter("a"), frozenset({"a"}))],
)
def test_a_cluster_or_some_topics_are_paused(paused: Any, kept: object) -> None:
    assert ClusterMetadata(["a"], paused=paused).paused == kept


@pytest.mark.parametrize("paused", ["orders", None, 1, b"orders", [1]])
def test_a_pause_of_another_type_is_a_type_error(paused: Any) -> None:
    with pytest.raises(TypeError, match="paused"):
        ClusterMetadata(["orders"], paused=paused)


def test_clusters_that_differ_in_one_field_alone_are_not_equal() -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"topics": ["a"]},
        {"properties": {}},
        {"starting_offsets": None},
        {"ending_offsets": "latest"},
        {"continues": None},
        {"paused": True},
        {"paused": False},
        {"paused": ["other"]},
    ]
    assert len({dataclasses.replace(EU, **change) for change in changes}) == len(changes)


def test_a_stream_checks_its_id_and_clusters() -> None:
    with pytest.raises(TypeError, match="stream_id"):
        KafkaStream(1, {})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="clusters is of type list"):
        KafkaStream("a", [EU])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"clusters\['eu-1'\] is of type dict; expected a ClusterMetadata"):
        KafkaStream("a", {"eu-1": {}})  # type: ignore[dict-item]


def test_the_in_memory_service_shows_addresses_and_no_secret() -> None:
    shown = repr(InMemoryMetadataService([ORDERS]))
    assert shown == f"InMemoryMetadataService([{ORDERS!r}])"
    assert "b1:9092" in shown
    assert SECRET not in shown


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


def test_the_example_of_the_page_of_the_metadata_runs() -> None:
    page = Path(__file__).parents[2] / "docs" / "metadata.md"
    (example,) = re.findall(r"```python\n(.+?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)  # noqa: S102, our own text
    cluster = names["service"].describe_streams(["orders"])["orders"].clusters["eu-2"]
    assert cluster.bootstrap_servers == "b1:9092,b2:9092"
    assert (cluster.continues, cluster.paused) == ({"eu-1"}, {"orders"})
    assert not names["service"].is_cluster_active("eu-2")
