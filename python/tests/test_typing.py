"""What must type-check for a user, and what must not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

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
    ClusterMetadata, DynamicKafkaError, DynamicKafkaSource, DynamicKafkaSourceBuilder, HttpMetadataService, KafkaStream,
    MetadataService, SingleClusterMetadataService, YamlFileMetadataService, configure_spark, find_error, offsets_after,
)
from dynamic_kafka.migrate import Checkpoint, Move, find_clusters, plan_move, read_checkpoint, spark_starting_offsets

class Registry(MetadataService):
    def all_streams(self) -> Collection[KafkaStream]:
        eu = ClusterMetadata(["a"], starting_offsets={"orders": {0: 1200, 1: "latest"}})
        return {KafkaStream("orders", {"eu-1": eu})}

moved = ClusterMetadata(["a"], bootstrap_servers="b1:9092", continues="eu-1", paused=True)
again = ClusterMetadata(["a"], {"bootstrap.servers": "b1:9092"}, continues=["eu-1", "eu-0"], paused={"a"})
earlier: frozenset[str] = moved.continues | again.continues
address: str | None = moved.bootstrap_servers

def choose(service: MetadataService) -> set[str]:
    return {stream.stream_id for stream in service.all_streams()}

spark: SparkSession = configure_spark(SparkSession.builder.appName("orders")).getOrCreate()
monitored: SparkSession = configure_spark(SparkSession.builder, monitoring=True).getOrCreate()
checkpoint: Checkpoint = read_checkpoint("checkpoints/orders").without("3").with_logged_done()
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
same: DynamicKafkaSourceBuilder = DynamicKafkaSource.builder(spark).drain_timeout("5m").option("a", 1).bounded()

one = SingleClusterMetadataService("eu-1", bootstrap_servers="b1:9092")

try:
    orders.writeStream.start().awaitTermination()
except Exception as failure:
    error: DynamicKafkaError | None = find_error(failure)
    if error is not None and error.cluster is not None:
        where: tuple[str, str | None, int | None] = (error.cluster, error.topic, error.partition)
"""

WRONG = """
from pyspark.sql import SparkSession
from dynamic_kafka import (
    ClusterMetadata, DynamicKafkaError, DynamicKafkaSourceBuilder, HttpMetadataService, KafkaStream, MetadataService,
    SingleClusterMetadataService, configure_spark,
)

def misuse(builder: DynamicKafkaSourceBuilder, spark: SparkSession, one: SingleClusterMetadataService) -> None:
    configure_spark(SparkSession.builder, True)  # wrong
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
    SingleClusterMetadataService("eu-1", bootstrap_servers=["b1:9092"])  # wrong
    SingleClusterMetadataService(bootstrap_servers="b1:9092")  # wrong

def handle(error: DynamicKafkaError) -> tuple[str, int]:
    return error.cluster, 1  # wrong
"""


SOURCES = Path(dynamic_kafka.__file__).parent.parent

# By checker, its answer to all snippets at once: the lines that it refuses, by snippet.
Refused: TypeAlias = "dict[str, set[int]]"


def mypy(folder: Path) -> list[tuple[str, int]]:
    strict = ["--strict", "--config-file=", f"--cache-dir={folder}/cache", "--no-error-summary", "--hide-error-context"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPYPATH", str(SOURCES))
        shown, failure, _status = api.run([*strict, "--python-version=3.10", *map(str, folder.glob("*.py"))])
    assert not failure
    found = [line.split(":") for line in shown.splitlines() if ": error:" in line]
    return [(path, int(number)) for path, number, *_ in found]


def pyright(folder: Path) -> list[tuple[str, int]]:
    # Pyright itself; the package brings Node.js. Its own, stricter rules are not what users run.
    config = {"typeCheckingMode": "standard", "pythonVersion": "3.10", "extraPaths": [str(SOURCES)], "include": ["."]}
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    run = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "--outputjson", "-p", str(folder)]
    shown = subprocess.run(run, capture_output=True, text=True, check=False).stdout
    answer = json.loads(shown)
    assert answer["summary"]["filesAnalyzed"] == len(list(folder.glob("*.py"))), shown
    found = [one for one in answer["generalDiagnostics"] if one["severity"] == "error"]
    return [(one["file"], one["range"]["start"]["line"] + 1) for one in found]


@pytest.fixture(scope="module", params=[mypy, pyright])
def refused(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Refused:
    """One run of each checker for both snippets: most of it is spent on PySpark."""
    folder = tmp_path_factory.mktemp("typing")
    snippets = {"right": RIGHT, "wrong": WRONG}
    for name, snippet in snippets.items():
        (folder / f"{name}.py").write_text(snippet)
    lines: Refused = {name: set() for name in snippets}
    for path, number in request.param(folder):
        # Of another file, this fails: the snippets alone may be at fault.
        lines[Path(path).stem].add(number)
    return lines


def test_code_that_uses_the_package_as_meant_type_checks(refused: Refused) -> None:
    assert refused["right"] == set()


def test_every_misuse_is_refused_by_the_types_at_its_line(refused: Refused) -> None:
    assert refused["wrong"] == {number for number, line in enumerate(WRONG.splitlines(), 1) if "# wrong" in line}
