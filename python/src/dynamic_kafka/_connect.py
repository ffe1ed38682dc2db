"""Loads in a Spark Connect session, whose driver is another process: only options get there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dynamic_kafka._bridge import Subscriber
from dynamic_kafka._jar import jar_path
from dynamic_kafka._metadata import MetadataService
from dynamic_kafka.errors import UnsupportedOnConnectError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def is_connect(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect. Its class can be imported only where Connect works."""
    return any(kind.__module__.startswith("pyspark.sql.connect.") for kind in type(spark).__mro__)


def load(spark: SparkSession, options: Mapping[str, str | MetadataService | Subscriber], *, batch: bool) -> DataFrame:
    """The DataFrame; the server gets the bundled jar if it does not know the source yet."""
    from pyspark.errors import PySparkException

    texts = {key: _text(key, value) for key, value in options.items()}
    try:
        return _read(spark, texts, batch=batch)
    except PySparkException as failure:
        if failure.getCondition() != "DATA_SOURCE_NOT_FOUND":
            raise
    spark.addArtifacts(str(jar_path()))
    return _read(spark, texts, batch=batch)


def _read(spark: SparkSession, options: Mapping[str, str], *, batch: bool) -> DataFrame:
    reader = spark.read if batch else spark.readStream
    frame = reader.format("dynamic-kafka").options(**options).load()
    # Connect analyses a plan when it is first used. Asking for the schema does that now, so that errors come from here.
    # The definitions of a pipeline may analyse nothing themselves: Spark analyses all of them together.
    if not _defines_pipeline():
        _ = frame.schema
    return frame


def _defines_pipeline() -> bool:
    from pyspark.errors import PySparkException

    try:
        from pyspark.pipelines.graph_element_registry import get_active_graph_element_registry

        get_active_graph_element_registry()
    except (ImportError, PySparkException):
        return False
    return True


def _text(key: str, value: str | MetadataService | Subscriber) -> str:
    if isinstance(value, str):
        return value
    raise UnsupportedOnConnectError(
        f"Option {key} is a {type(value).__name__} of this Python process, which the driver behind a Spark Connect "
        "session can't call. Use YamlFileMetadataService, HttpMetadataService, SingleClusterMetadataService, "
        "JvmMetadataService or the name of a class that the server has. Or use a session without Connect."
    )
