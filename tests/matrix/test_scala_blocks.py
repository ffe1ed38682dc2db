"""The blocks in Scala of `docs/recipes.md` and `docs/watermarks.md`, in one `spark-shell`."""

from collections.abc import Callable
from pathlib import Path

import dynamic_kafka
import pytest

from tests.cluster import KafkaClusters
from tests.matrix.test_shells import shell
from tests.readme import ROOT, examples
from tests.recipes import block
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import write

WATERMARKS = ROOT / "docs" / "watermarks.md"
_ORDERS = """
val orders = io.github.dynamickafka.spark.DynamicKafkaSource.builder(spark).metadataService("yaml", java.util.Map.of("path", "{streams}")).streamIds("orders").bounded().load()
"""  # noqa: E501 - a line is what the shell reads at a time
_PRINTED = """
val found = parsed.selectExpr("cluster", "order.order_id", "order.amount")
for (row <- found.collect()) println("parsed " + row.mkString(","))
for (row <- counted.groupBy("cluster").sum("count").collect()) println("counted " + row.mkString(","))
"""


@pytest.mark.matrix
def test_each_block_in_scala_gives_the_rows_of_both_clusters(
    clusters: KafkaClusters, fresh_name: Callable[[str], str], tmp_path: Path
) -> None:
    a, b = clusters.get("a"), clusters.get("b")
    topic, listing = fresh_name("orders"), FileListing(tmp_path / "streams.yaml")
    for cluster in (a, b):
        cluster.create_topic(topic)
    write(a, topic, '{"order_id": "e", "amount": 5}')
    write(b, topic, '{"order_id": "u"}', "no json")
    listing.publish("orders", {"eu-1": on(a, topic), "us-1": on(b, topic)})
    (counted,) = examples("scala", WATERMARKS)
    script = tmp_path / "blocks.scala"
    script.write_text(_ORDERS.format(streams=listing.path) + block("JSON", "scala") + counted + _PRINTED)
    printed = shell("spark-shell", ":quit", tmp_path, {}, "--jars", str(dynamic_kafka.jar_path()), "-i", str(script))
    lines = [line for line in printed.splitlines() if line.startswith(("parsed ", "counted "))]
    parsed = ["parsed eu-1,e,5", "parsed us-1,u,null", "parsed us-1,null,null"]
    assert sorted(lines) == sorted([*parsed, "counted eu-1,1", "counted us-1,2"])
