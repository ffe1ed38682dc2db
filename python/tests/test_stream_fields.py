"""A stream in the shape of the YAML file, as a dict."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dynamic_kafka import ClusterMetadata, KafkaStream
from dynamic_kafka.errors import InvalidMetadataError

SECRET = "hunter2"
PAGE = Path(__file__).parents[2] / "docs" / "metadata.md"


def entry(**fields: Any) -> dict[str, Any]:
    own = {"clusterId": "eu-1", "bootstrapServers": "b1:9092", "topics": ["orders"], **fields}
    return {key: value for key, value in own.items() if value is not ...}


def stream(*clusters: object, **fields: Any) -> KafkaStream:
    return KafkaStream.from_dict({"streamId": "orders", "clusterMetadataList": list(clusters), **fields})


def test_the_fields_of_the_page_of_the_file_are_read() -> None:
    text = PAGE.read_text().split("```yaml\n")[1].split("```")[0]
    (fields,) = yaml.safe_load(text)
    assert KafkaStream.from_dict(fields) == KafkaStream(
        "orders",
        {
            "eu-2": ClusterMetadata(
                ["orders"],
                {"security.protocol": "SASL_SSL", "sasl.jaas.config": "${env:EU2_JAAS}"},
                bootstrap_servers="b1:9092,b2:9092",
                starting_offsets="earliest",
                ending_offsets={"orders": {"0": 1200}},
                continues="eu-1",
                paused=["orders"],
            )
        },
    )


def test_properties_are_texts_as_kafka_reads_them() -> None:
    own = stream(entry(properties={"fetch.min.bytes": 16, "check.crcs": True})).clusters["eu-1"].properties
    assert own == {"bootstrap.servers": "b1:9092", "fetch.min.bytes": "16", "check.crcs": "true"}


def test_without_an_id_the_address_is_the_id_and_a_warning_says_so() -> None:
    with pytest.warns(UserWarning, match=r"clusterMetadataList\[0\]: there is no clusterId.*b1:9092") as warned:
        assert list(stream(entry(clusterId=...)).clusters) == ["b1:9092"]
    assert warned[0].filename == __file__


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (5, "The stream: expected a mapping, found a number."),
        ({"clusterMetadataList": []}, "The stream, field streamId: it is missing."),
        ({"streamId": 5, "clusterMetadataList": []}, "The stream, field streamId: expected text, found a number."),
        (
            {"streamId": "a", "clusterMetadataList": "b"},
            "Stream a, field clusterMetadataList: expected a list, found text.",
        ),
        ({"streamId": "a", "clusters": []}, "field clusters: there is no such field; allowed are streamId, cluster"),
    ],
)
def test_a_stream_with_a_problem_is_refused_by_field(fields: Any, problem: str) -> None:
    with pytest.raises(InvalidMetadataError, match=re.escape(problem)):
        KafkaStream.from_dict(fields)


@pytest.mark.parametrize(
    ("cluster", "problem"),
    [
        (None, ": expected a mapping, found nothing."),
        (entry(topics=...), ".topics: it is missing."),
        (entry(topics="orders"), ".topics: expected a list, found text."),
        (entry(topics=["a", "a"]), ".topics[1]: the same topic a is already there."),
        (entry(topics=[5]), ".topics[0]: expected text, found a number."),
        (entry(topic=[]), ".topic: there is no such field; did you mean topics?"),
        (entry(bootstrapServers=" "), ".bootstrapServers: it is empty."),
        (entry(properties={"bootstrap.servers": "b"}), ".bootstrap.servers: write the address as bootstrapServers."),
        (entry(properties={"a": [SECRET]}), ".properties.a: expected text, a number or a boolean, found a list."),
        (entry(properties=SECRET), ".properties: expected a mapping, found text."),
        (entry(startingOffsets={"orders": 1.5}), ".startingOffsets.orders is of type float"),
        (entry(active="no"), ".active: expected true or false, found text."),
        (entry(active=False), ".active: a stream can't set this. Use is_cluster_active"),
        (entry(continues="eu-1"), ".continues: a cluster can't continue itself"),
        (entry(continues=[5]), ".continues[0]: expected text, found a number."),
        (entry(paused="yes"), ".paused: expected a list, found text."),
    ],
)
def test_a_cluster_with_a_problem_is_refused_by_field_and_no_value_is_shown(cluster: object, problem: str) -> None:
    with pytest.raises(InvalidMetadataError, match=re.escape("Stream orders, field clusterMetadataList[0]")) as caught:
        stream(cluster)
    assert problem in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_cluster_is_there_once() -> None:
    with pytest.raises(InvalidMetadataError, match=r"\[1\]\.clusterId: the same clusterId eu-1 is already there"):
        stream(entry(), entry())
