"""A union of Spark's own Kafka source moves over under a running producer, and back: docs/migrations-from-union.md."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from dynamic_kafka.migrate import find_clusters, plan_move, read_checkpoint
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.readme import ROOT, Program
from tests.scenarios.conftest import Source
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import IdProducer
from tests.scenarios.queries import Queries
from tests.scenarios.spark_kafka import OneRead, UnionQuery

Name = Callable[[str], str]
TOLD = ("--source", "0=a", "--source", "1=b", "--source", "2=c")
KEPT = ROOT / "tests" / "compat" / "spark"


def offsets(*arguments: str | Path) -> tuple[int, Any]:
    """`dynamic-kafka offsets`: its exit code, and what stdout holds."""
    command = [sys.executable, "-m", "dynamic_kafka.cli", "offsets", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode in (0, 1), ended.stderr
    return ended.returncode, json.loads(ended.stdout)


def await_ids(union: UnionQuery, program: Program, count: int) -> None:
    def seen() -> int:
        assert program._process.poll() is None, program.printed()[-4000:]
        return len(union.table.ids())

    eventually(f"the union has read {count} ids", seen, until=lambda ids: ids >= count, within=90)


def union_over(folder: Path, clusters: Sequence[KafkaCluster], topic: str, starting: Sequence[str]) -> UnionQuery:
    return UnionQuery(
        folder,
        [OneRead(one.bootstrap_servers, topic, at) for one, at in zip(clusters, starting, strict=True)],
    )


def test_a_union_of_three_clusters_moves_over_and_back_with_each_id_once(
    a: KafkaCluster,
    b: KafkaCluster,
    c: KafkaCluster,
    file: FileListing,
    source: Source,
    queries: Queries,
    tmp_path: Path,
    fresh_name: Name,
) -> None:
    stream, topic = fresh_name("stream"), fresh_name("topic")
    clusters = (a, b, c)
    for cluster in clusters:
        cluster.create_topic(topic, partitions=2)
    file.publish(stream, {cluster.name: on(cluster, topic) for cluster in clusters})
    before = union_over(tmp_path / "before", clusters, topic, ["earliest"] * 3)
    with IdProducer(*((cluster, topic) for cluster in clusters)) as ids:
        # It is killed at any moment, so that a batch may be left over, which the second start ends.
        with before.runs() as program:
            await_ids(before, program, 100)
        before.finishes()
        ids.await_more(20)
        code, starting = offsets(before.checkpoint, *TOLD, "--streams", file.path)
        assert code == 0
        running = queries.start(source(file.service, stream).starting_offsets(starting).load())
        running.await_rows_of("c", 20)
        for cluster in clusters:
            cluster.add_partitions(topic, 3)
        ids.await_more(60)
        running.await_rows_of("a", 20)
        running.stop_between_batches()
        running.is_not_looked_at_again("Spark's own source has gone on")
        ids.await_more(20)
        back = [offsets(running.checkpoint, "--for-spark", cluster.name) for cluster in clusters]
        assert [code for code, _ in back] == [0, 0, 0]
        after = union_over(tmp_path / "after", clusters, topic, [json.dumps(text) for _, text in back])
        with after.runs() as program:
            await_ids(after, program, 20)
    after.finishes()
    read = before.table.ids() + Counter(running.values()) + after.table.ids()
    assert read == Counter(ids.written())
    assert all((before.table.ids(), running.values(), after.table.ids())), "each of them had its part"


@pytest.mark.parametrize("kind", ["union", "named", "state", "logged"])
def test_a_spark_session_reads_a_checkpoint_as_this_machine_does(spark: SparkSession, kind: str) -> None:
    path = KEPT / "4.3" / kind
    here, there = read_checkpoint(str(path)), read_checkpoint(f"file:{path}", spark)
    assert (there.sources, there.committed, there.logged) == (here.sources, here.committed, here.logged)
    assert len(there.operators) == len(here.operators)


def test_a_spark_session_finds_no_checkpoint_where_there_is_none(spark: SparkSession, tmp_path: Path) -> None:
    from dynamic_kafka.errors import CheckpointError

    with pytest.raises(CheckpointError, match="It is no checkpoint of a streaming query"):
        read_checkpoint(f"file:{tmp_path}", spark)
    with pytest.raises(CheckpointError, match="It is no checkpoint of a streaming query"):
        read_checkpoint(f"file:{tmp_path}/nowhere", spark)


def test_a_new_query_in_python_goes_on_where_a_kept_checkpoint_ends(
    a: KafkaCluster, file: FileListing, source: Source, queries: Queries, fresh_name: Name
) -> None:
    stream = fresh_name("stream")
    for topic, partitions in (("orders", 2), ("refunds", 1)):
        a.create_topic(topic, partitions)
        for partition in range(partitions):
            a.produce(topic, [(None, f"{topic} {partition} {number}") for number in range(7)], partition=partition)
    file.publish(stream, {"a": on(a, "orders", "refunds")})
    checkpoint = read_checkpoint(str(KEPT / "3.5" / "single"))
    move = plan_move(checkpoint, find_clusters(checkpoint, [], {"0": "a"}), listed=["a"])
    running = queries.start(source(file.service, stream).starting_offsets(move.starting_offsets).load())
    expected = [f"orders 0 {number}" for number in range(4, 7)] + [f"orders 1 {number}" for number in (5, 6)]
    running.await_values(expected + [f"refunds 0 {number}" for number in range(3, 7)])
