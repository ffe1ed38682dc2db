"""What is wrong with the input is said at once, by name, and never as a trace of the bridge to the JVM."""

from collections.abc import Callable
from pathlib import Path

import pytest
from dynamic_kafka import DynamicKafkaSourceBuilder, YamlFileMetadataService
from dynamic_kafka.errors import (
    InvalidMetadataError,
    InvalidOptionError,
    MetadataUnavailableError,
)
from pyspark.sql import SparkSession

from tests.scenarios.conftest import Source
from tests.scenarios.listing import FileListing
from tests.scenarios.queries import Queries
from tests.scenarios.scene import Scene

Change = Callable[[DynamicKafkaSourceBuilder], DynamicKafkaSourceBuilder]

WRONG_OPTIONS: dict[str, tuple[Change, list[str]]] = {
    "an unknown key": (lambda b: b.option("maxOffsetPerTrigger", 5), ["maxOffsetPerTrigger", "`maxOffsetsPerTrigger`"]),
    "a bad duration": (lambda b: b.cluster_request_timeout("30"), ["clusterRequestTimeout", "30"]),
    "a property it sets itself": (lambda b: b.kafka_property("auto.offset.reset", "none"), ["kafka.auto.offset.reset"]),
    "an end of a stream": (lambda b: b.ending_offsets("latest"), ["endingOffsets", "batch"]),
    "a class that is not there": (lambda b: b.metadata_service("com.example.None"), ["com.example.None"]),
    "a class that is no service": (lambda b: b.metadata_service("java.util.HashMap"), ["java.util.HashMap"]),
    "two selections": (lambda b: b.stream_ids("a").stream_pattern("b"), ["streamIds", "streamPattern"]),
}


@pytest.fixture
def valid(source: Source, tmp_path: Path) -> DynamicKafkaSourceBuilder:
    """A builder with all that is needed, though its file is not there."""
    return source(YamlFileMetadataService(tmp_path / "streams.yaml"), "orders")


@pytest.mark.parametrize(("change", "words"), WRONG_OPTIONS.values(), ids=WRONG_OPTIONS)
def test_a_wrong_option_is_an_error_at_load_with_what_is_allowed(
    change: Change, words: list[str], valid: DynamicKafkaSourceBuilder, queries: Queries
) -> None:
    builder = change(valid)
    with pytest.raises(InvalidOptionError) as failed:
        queries.start(builder.load())
    assert str(failed.value).startswith("[DYNAMIC_KAFKA_INVALID_OPTION] ")
    for word in words:
        assert word in str(failed.value)
    assert failed.value.options
    assert all(option in str(failed.value) for option in failed.value.options)


def test_options_of_the_session_are_checked_too_and_the_readers_own_win(
    spark: SparkSession, valid: DynamicKafkaSourceBuilder
) -> None:
    key = "spark.datasource.dynamic-kafka.removedClusterPolicy"
    spark.conf.set(key, "forget")
    try:
        with pytest.raises(InvalidOptionError, match="forget"):
            valid.load()
        valid.removed_cluster_policy("stop").load()
    finally:
        spark.conf.unset(key)


WRONG_FILES: dict[str, tuple[str, list[str]]] = {
    "an unknown field": (
        "- streamId: orders\n  clusterMetadataList:\n  - clusterId: a\n    bootstrapServers: b:9092\n"
        "    topics: [t]\n    color: red\n",
        ["color", "orders", "line 6"],
    ),
    "no YAML": ("- streamId: [orders\n", ["line"]),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("text", "words"), WRONG_FILES.values(), ids=WRONG_FILES)
def test_a_wrong_file_is_reported_with_file_stream_field_and_line(
    text: str, words: list[str], file: FileListing, filed: Scene
) -> None:
    file.write(text)
    error = filed.start(filed.read("orders").load()).await_failure()
    assert isinstance(error, (InvalidMetadataError, MetadataUnavailableError))
    for word in (*words, file.path.name):
        assert word in str(error)
    assert error.file == str(file.path)
    assert {word for word in words if word.startswith("line ")} <= {f"line {error.line}"}


def test_a_file_that_is_not_there_is_reported_with_its_path(
    valid: DynamicKafkaSourceBuilder, queries: Queries, tmp_path: Path
) -> None:
    error = queries.start(valid.load()).await_failure()
    assert isinstance(error, (InvalidMetadataError, MetadataUnavailableError))
    assert str(tmp_path / "streams.yaml") in str(error)
