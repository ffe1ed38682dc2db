"""An archive in Parquet, and what the live clusters have beyond it: each id once."""

import re
from pathlib import Path
from typing import Any

import pytest
from dynamic_kafka import offsets_after
from dynamic_kafka.errors import InvalidOptionError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, expr

from tests.cluster import KafkaCluster
from tests.readme import ROOT
from tests.scenarios.conftest import Name
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.scene import Scene

PAGE = (ROOT / "docs" / "batch.md").read_text()


def example(word: str) -> str:
    """The one example of the page that has this word."""
    (found,) = [
        block for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) if word in block
    ]
    return str(found)


def ran(spark: SparkSession, archive: Path, streams: Path) -> dict[str, Any]:
    """What is named once the page's example has run, with these files in the place of its own."""
    named: dict[str, Any] = {"spark": spark}
    code = (
        example("offsets_after").replace('"archive"', repr(str(archive))).replace('"streams.yaml"', repr(str(streams)))
    )
    exec(code, named)  # noqa: S102 - the page's own
    return named


def ids(frame: DataFrame) -> list[str]:
    return sorted(bytes(row["value"]).decode() for row in frame.collect())


@pytest.mark.slow
def test_the_pages_example_reads_the_archive_and_then_the_clusters_each_id_once(
    a: KafkaCluster,
    b: KafkaCluster,
    file: FileListing,
    filed: Scene,
    spark: SparkSession,
    tmp_path: Path,
    fresh_name: Name,
) -> None:
    topic, later = fresh_name("topic"), fresh_name("later")
    a.create_topic(topic, partitions=3)
    written = [one for p in (0, 1) for one in write(a, topic, *numbered(f"a{p}-", 12), partition=p)]
    filed.publish("orders", {"a": on(a, topic)})
    archive = tmp_path / "archive"
    filed.read("orders").bounded().load().drop("headers", "key").write.parquet(str(archive))

    live = [one for p in (1, 2) for one in write(a, topic, *numbered(f"live{p}-", 5), partition=p)]
    a.create_topic(later)
    b.create_topic(topic)
    live += write(a, later, "later") + write(b, topic, *numbered("b", 3))
    filed.publish("orders", {"a": on(a, topic, later), "b": on(b, topic)})

    named = ran(spark, archive, file.path)
    assert ids(named["orders"]) == sorted(written + live)
    assert ids(named["live"]) == sorted(live)

    offsets = offsets_after(named["history"])
    assert offsets == {"": "earliest", "a": {topic: {"0": 12, "1": 12}}}
    running = filed.start(filed.read("orders").starting_offsets(offsets).load())
    running.await_values(live)
    running.await_values(live + write(b, topic, "b3"))

    gaps = eval(example("missing"), {"history": named["history"].where(col("offset") != 5), "expr": expr})  # noqa: S307
    assert [row["missing"] for row in gaps.collect()] == [1, 1]


def test_offsets_are_compared_as_numbers_whatever_the_archive_keeps_them_as(spark: SparkSession) -> None:
    rows = [("eu", "orders", "0", "9"), ("eu", "orders", "0", "10")]
    history = spark.createDataFrame(rows, "cluster string, topic string, partition string, offset string")
    assert offsets_after(history) == {"": "earliest", "eu": {"orders": {"0": 11}}}


def test_what_is_no_archive_is_refused(spark: SparkSession) -> None:
    with pytest.raises(InvalidOptionError, match="history has no column cluster, partition"):
        offsets_after(spark.createDataFrame([("orders", 5)], "topic string, offset bigint"))
    nulls = spark.createDataFrame(
        [(None, "orders", 0, 5)], "cluster string, topic string, partition int, offset bigint"
    )
    with pytest.raises(InvalidOptionError, match="in the column cluster"):
        offsets_after(nulls)
    some = spark.createDataFrame([("eu", "orders", 0, 5), ("eu", "orders", 0, None)], nulls.schema)
    with pytest.raises(InvalidOptionError, match="in the column offset"):
        offsets_after(some)
    with pytest.raises(InvalidOptionError, match="streaming"):
        offsets_after(spark.readStream.format("rate").load())
