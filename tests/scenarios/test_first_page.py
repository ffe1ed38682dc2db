"""The block of `docs/index.md`, run as it stands there."""

from pathlib import Path

import pytest
from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, Record
from tests.readme import ROOT, examples
from tests.recipes import ran
from tests.scenarios.conftest import Name
from tests.scenarios.listing import FileListing, on


@pytest.fixture
def listed(a: KafkaCluster, b: KafkaCluster, file: FileListing, fresh_name: Name, tmp_path: Path) -> str:
    """The file in which the stream `orders` is on both clusters, each with a record."""
    topic = fresh_name("orders")
    for cluster, value in ((a, b"of eu-1"), (b, b"of us-1")):
        cluster.create_topic(topic)
        cluster.produce(topic, [Record(None, value)])
    file.publish("orders", {"eu-1": on(a, topic), "us-1": on(b, topic)})
    return str(tmp_path / "streams.yaml")


def test_the_first_page_shows_a_query(spark: SparkSession, listed: str) -> None:
    (block,) = examples("python", ROOT / "docs" / "index.md")
    given = {"DynamicKafkaSource": DynamicKafkaSource, "YamlFileMetadataService": YamlFileMetadataService}
    orders = ran(block.replace("streams.yaml", listed), spark=spark, **given)["orders"]
    assert orders.isStreaming
    assert {"key", "value", "cluster", "stream"} <= set(orders.columns)
