"""Turns collected options into a DataFrame, in the way that fits the session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from dynamic_kafka import _connect, _jvm
from dynamic_kafka._bridge import Subscriber
from dynamic_kafka._metadata import MetadataService
from dynamic_kafka._services import JvmMetadataService
from dynamic_kafka.errors import find_error

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

OptionValue: TypeAlias = "str | MetadataService | JvmMetadataService | Subscriber"


def load(spark: SparkSession, options: Mapping[str, OptionValue], *, batch: bool) -> DataFrame:
    """Loads with these options by name. A Python object as a value is passed to the JVM."""
    way = _connect.load if _connect.is_connect(spark) else _jvm.load
    try:
        return way(spark, _described(options), batch=batch)
    except Exception as failure:
        ours = find_error(failure)
        if ours is None or ours is failure:
            raise
        # Without the original exception: Py4J's trace adds nothing to the text.
        raise ours from None


def _described(options: Mapping[str, OptionValue]) -> dict[str, str | MetadataService | Subscriber]:
    described: dict[str, str | MetadataService | Subscriber] = {}
    for key, value in options.items():
        if isinstance(value, JvmMetadataService):
            described |= {f"{key}.{name}": text for name, text in value.config.items()}
    # After the keys of the services, because Spark takes the later one of two equal keys.
    for key, value in options.items():
        described[key] = value.class_name if isinstance(value, JvmMetadataService) else value
    return described
