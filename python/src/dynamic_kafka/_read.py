"""Reads in one call, in the words of Spark. The builder does the work, so both ways are the same."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dynamic_kafka._bridge import Subscriber
from dynamic_kafka._builder import DynamicKafkaSource, DynamicKafkaSourceBuilder
from dynamic_kafka._checks import OPTIONS
from dynamic_kafka._metadata import MetadataService
from dynamic_kafka._offsets import Offsets
from dynamic_kafka._option_methods import StreamKeywords
from dynamic_kafka._options import OPTIONS as OPTIONS_OF_THE_SOURCE
from dynamic_kafka._services import JvmMetadataService
from dynamic_kafka.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Unpack


class ReadStreamOptions(StreamKeywords, total=False):
    """The keyword options of `read_stream`: each is a method of the builder, with the same values.

        >>> fast: ReadStreamOptions = {"max_offsets_per_trigger": 1_000_000, "drain_timeout": "5m"}
        >>> orders = read_stream(spark, service, "orders", **fast)

    `kafka_properties` has properties of Kafka's clients for every cluster, by name. `options` has any options by their
    names in Spark, for what has no keyword.
    """

    stream_subscriber: Subscriber | str
    kafka_properties: Mapping[str, str | bool | int | float]
    options: Mapping[str, str | bool | int | float]


class ReadOptions(ReadStreamOptions, total=False):
    """The keyword options of `read`: those of `read_stream`, and where the read ends.

    >>> until: ReadOptions = {"ending_offsets": {"timestamp": "2026-01-01T00:00:00Z"}}
    >>> orders = read(spark, service, "orders", **until)
    """

    ending_offsets: Offsets


# Under `from __future__ import annotations` these are the texts of the types; only the names count here.
_OF_STREAMS = frozenset(ReadStreamOptions.__annotations__)
_OF_BATCHES = frozenset(ReadOptions.__annotations__)
_METHODS = {option.key.lower(): option.python_name for option in OPTIONS_OF_THE_SOURCE}


def read_stream(
    spark: SparkSession,
    service: MetadataService | JvmMetadataService | str,
    *stream_ids: str,
    **options: Unpack[ReadStreamOptions],
) -> DataFrame:
    """A streaming read of these streams, in one call. The keyword options are the methods of the builder.

        >>> service = YamlFileMetadataService("streams.yaml")
        >>> orders = read_stream(spark, service, "orders", "refunds", starting_offsets="earliest", drain_timeout="5m")

    Instead of ids, give `stream_pattern` or `stream_subscriber`. Raises the same errors as the builder.
    """
    return _builder(spark, service, stream_ids, dict(options), _OF_STREAMS).load()


def read(
    spark: SparkSession,
    service: MetadataService | JvmMetadataService | str,
    *stream_ids: str,
    **options: Unpack[ReadOptions],
) -> DataFrame:
    """A batch read of these streams, in one call. It ends at `ending_offsets` (exclusive), by default at `latest`.

    >>> service = YamlFileMetadataService("streams.yaml")
    >>> yesterday = read(spark, service, "orders", ending_offsets={"timestamp": "2026-01-01T00:00:00Z"})
    """
    return _builder(spark, service, stream_ids, dict(options), _OF_BATCHES).bounded().load()


def _builder(
    spark: SparkSession,
    service: MetadataService | JvmMetadataService | str,
    stream_ids: tuple[str, ...],
    given: dict[str, object],
    known: frozenset[str],
) -> DynamicKafkaSourceBuilder:
    unknown = [name for name in given if name not in known]
    if unknown:
        texts = " ".join(_unknown(name, known) for name in unknown)
        raise InvalidOptionError(texts, option=unknown[0] if len(unknown) == 1 else None)
    builder = DynamicKafkaSource.builder(spark).metadata_service(service)
    if stream_ids:
        builder.stream_ids(*stream_ids)
    properties = OPTIONS.mapping("kafka_properties", given.pop("kafka_properties", {}))
    others = OPTIONS.mapping("options", given.pop("options", {}))
    for name, value in given.items():
        getattr(builder, name)(value)
    for property_name, text in properties.items():
        builder.kafka_property(*_pair(property_name, text))
    for key, scalar in others.items():
        # In one call a reader could not see which value counts.
        if builder._has(OPTIONS.text("A key of options", key)):
            raise InvalidOptionError(
                f"The option {key} is set twice, by its keyword and in options. Keep one.", option=str(key)
            )
        builder.option(*_pair(key, scalar))
    return builder


def _pair(name: object, value: object) -> tuple[str, str]:
    key = OPTIONS.text("A key", name)
    return key, OPTIONS.scalar(key, value)


def _unknown(name: str, known: frozenset[str]) -> str:
    if name == "ending_offsets":
        return "The option ending_offsets is for a batch read, and a streaming read has no end: use read."
    if name in ("stream_ids", "streamIds"):
        return "The ids of streams have no keyword: write them behind the service."
    method = _METHODS.get(name.lower(), name)
    near = difflib.get_close_matches(method, known, n=1)
    return f"There is no keyword {name}" + (f"; did you mean {near[0]}?" if near else "; see ReadStreamOptions.")
