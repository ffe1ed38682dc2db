"""Starting offsets after archived rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dynamic_kafka._checks import OPTIONS
from dynamic_kafka._offsets import OTHER_CLUSTERS, OffsetLevel
from dynamic_kafka.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PARTITION = ("cluster", "topic", "partition")
_NEEDED = (*_PARTITION, "offset")


def offsets_after(history: DataFrame) -> dict[str, OffsetLevel]:
    """Starting offsets after the largest offset of each partition in `history`. Other partitions start at `earliest`.

    `history` is a batch DataFrame with the columns `cluster`, `topic`, `partition` and `offset`: archived rows of this
    source, for example in Parquet. The call reads these columns once.

    It does not check that all records up to the largest offset were archived. Those that are missing stay missing.

        >>> offsets_after(spark.read.parquet("archive"))
        {'': 'earliest', 'eu-1': {'orders': {'0': 1200, '1': 845}}}

    Raises `InvalidOptionError` if a column is missing or holds a null, or if `history` is a streaming DataFrame.
    """
    from pyspark.sql import DataFrame
    from pyspark.sql.functions import col, count, when
    from pyspark.sql.functions import max as largest

    if not isinstance(history, DataFrame):
        raise OPTIONS.wrong_type("history", history, "a DataFrame")
    if history.isStreaming:
        raise InvalidOptionError("history is a streaming DataFrame, which has no largest offset yet; expected a batch.")
    missing = [name for name in _NEEDED if name not in history.columns]
    if missing:
        raise InvalidOptionError(
            f"history has no column {', '.join(missing)}. It needs {', '.join(_NEEDED)}: archive these columns too."
        )
    # By number: texts would be compared letter by letter.
    typed = history.select(
        col("cluster").cast("string"),
        col("topic").cast("string"),
        col("partition").cast("int"),
        col("offset").cast("bigint"),
    )
    # Null if any row has no offset: `max` alone would ignore that row.
    end = when(count("offset") == count("*"), largest("offset"))
    ends = typed.groupBy(*_PARTITION).agg(end.alias("offset"))
    return after(tuple(row) for row in ends.collect())


def after(ends: Iterable[tuple[object, ...]]) -> dict[str, OffsetLevel]:
    """The same for tuples of cluster, topic, partition and largest offset."""
    clusters: dict[str, dict[str, dict[str, int]]] = {}
    for cluster, topic, partition, offset in sorted(ends, key=str):
        if not (isinstance(cluster, str) and isinstance(topic, str)):
            raise _no_value("cluster" if not isinstance(cluster, str) else "topic")
        if not (isinstance(partition, int) and isinstance(offset, int)):
            raise _no_value("partition" if not isinstance(partition, int) else "offset")
        clusters.setdefault(cluster, {}).setdefault(topic, {})[str(partition)] = offset + 1
    return {OTHER_CLUSTERS: "earliest", **clusters}


def _no_value(column: str) -> InvalidOptionError:
    return InvalidOptionError(
        f"history has rows without a valid value in the column {column}: their place in Kafka is unknown. If they are "
        "not rows of this source, filter them out."
    )
