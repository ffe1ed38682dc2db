"""What must type-check for a user, and what must not."""

from __future__ import annotations

from pathlib import Path

import pytest
from mypy import api

import dynamic_kafka

RIGHT = """
import json
from collections.abc import Collection, Mapping
from datetime import timedelta
from pathlib import Path
from pyspark.sql import DataFrame, SparkSession
from dynamic_kafka import (
    ClusterMetadata, DynamicKafkaSource, HttpMetadataService, KafkaStream, MetadataService, YamlFileMetadataService,
    configure_spark, offsets_after,
)
from dynamic_kafka.migrate import Checkpoint, Move, find_clusters, plan_move, read_checkpoint, spark_starting_offsets

class Registry(MetadataService):
    def all_streams(self) -> Collection[KafkaStream]:
        eu = ClusterMetadata(["a"], starting_offsets={"orders": {0: 1200, 1: "latest"}})
        return {KafkaStream("orders", {"eu-1": eu})}
    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        return {}
    def is_cluster_active(self, cluster_id: str) -> bool:
        return True

moved = ClusterMetadata(["a"], bootstrap_servers="b1:9092", continues="eu-1", paused=True)
again = ClusterMetadata(["a"], {"bootstrap.servers": "b1:9092"}, continues=["eu-1", "eu-0"], paused={"a"})
earlier: frozenset[str] = moved.continues | again.continues
address: str | None = moved.bootstrap_servers

def choose(service: MetadataService) -> set[str]:
    return {stream.stream_id for stream in service.all_streams()}

spark: SparkSession = configure_spark(SparkSession.builder.appName("orders")).getOrCreate()
checkpoint: Checkpoint = read_checkpoint("checkpoints/orders", spark).without("3").with_logged_done()
move: Move = plan_move(checkpoint, find_clusters(checkpoint, [], {"0": "eu-1"}), listed={"eu-1"})
back: str = json.dumps(spark_starting_offsets(checkpoint, "eu-1"))
moved_over = DynamicKafkaSource.builder(spark).starting_offsets(move.starting_offsets)
orders: DataFrame = (
    DynamicKafkaSource.builder(spark)
    .metadata_service(YamlFileMetadataService(Path("streams.yaml")))
    .metadata_service(HttpMetadataService("https://h/streams", token_file=Path("token"), ca_file="ca.pem"))
    .metadata_service(Registry())
    .stream_ids("orders", "refunds")
    .stream_subscriber(choose)
    .starting_offsets({"eu-1": {"orders": {"0": 5, "1": "earliest"}}})
    .metadata_discovery_interval(timedelta(seconds=10))
    .metadata_discovery_interval(-1)
    .drain_timeout("5m")
    .removed_cluster_policy("drain")
    .option("maxOffsetsPerTrigger", 100_000)
    .load()
)
batch: DataFrame = DynamicKafkaSource.builder(spark).stream_ids("orders").bounded("latest").load()
rest: DataFrame = DynamicKafkaSource.builder(spark).starting_offsets(offsets_after(batch)).load()
"""

WRONG = """
from dynamic_kafka import ClusterMetadata, HttpMetadataService, KafkaStream, MetadataService, DynamicKafkaSourceBuilder

def misuse(builder: DynamicKafkaSourceBuilder) -> None:
    builder.stream_ids(["orders"])  # wrong
    builder.stream_subscriber(lambda service: 5)  # wrong
    builder.metadata_service(5)  # wrong
    HttpMetadataService("https://h", "token")  # wrong
    builder.removed_cluster_policy("keep")  # wrong
    builder.max_offsets_per_trigger("many")  # wrong
    builder.drain_timeout(None)  # wrong
    builder.drain_timeout(10)  # wrong
    builder.metadata_discovery_interval(30)  # wrong
    builder.starting_offsets(["earliest"])  # wrong
    builder.no_such_option("x")  # wrong
    ClusterMetadata([1], {})  # wrong
    ClusterMetadata(["a"], {"a": 1})  # wrong
    ClusterMetadata(["a"], {}, "earliest")  # wrong
    ClusterMetadata(["a"], bootstrap_servers=["b1:9092"])  # wrong
    ClusterMetadata(["a"], continues=[1])  # wrong
    ClusterMetadata(["a"], paused=None)  # wrong
    ClusterMetadata(["a"]).paused = True  # wrong
    KafkaStream("orders", {"eu-1": "b1:9092"})  # wrong
    KafkaStream("orders", {}).stream_id = "x"  # wrong
    MetadataService()  # wrong
"""


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[int]]:
    """By snippet, the lines that a strict mypy refuses: one run for both, most of which it spends on PySpark."""
    folder = tmp_path_factory.mktemp("typing")
    snippets = {"right": RIGHT, "wrong": WRONG}
    for name, snippet in snippets.items():
        (folder / f"{name}.py").write_text(snippet)
    strict = ["--strict", "--config-file=", f"--cache-dir={folder}/cache", "--no-error-summary", "--hide-error-context"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPYPATH", str(Path(dynamic_kafka.__file__).parent.parent))
        shown, failure, _status = api.run([*strict, *(str(folder / f"{name}.py") for name in snippets)])
    assert not failure
    found = [line.split(":") for line in shown.splitlines() if ": error:" in line]
    lines: dict[str, set[int]] = {name: set() for name in snippets}
    for path, number, *_ in found:
        # Of another file, this fails: the snippets alone may be at fault.
        lines[Path(path).stem].add(int(number))
    return lines


def test_code_that_uses_the_package_as_meant_type_checks(refused: dict[str, set[int]]) -> None:
    assert refused["right"] == set()


def test_every_misuse_is_refused_by_the_types(refused: dict[str, set[int]]) -> None:
    assert refused["wrong"] == {number for number, line in enumerate(WRONG.splitlines(), 1) if "# wrong" in line}
