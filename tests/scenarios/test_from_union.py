"""A union of Spark's own Kafka source moves over under a running producer, and back: docs/migrations-from-union.md."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from dynamic_kafka.migrate import find_clusters, plan_move, read_checkpoint

from tests.cluster import KafkaCluster, eventually
from tests.compat.kept import unpacked
from tests.readme import Program
from tests.scenarios.conftest import Name
from tests.scenarios.listing import on
from tests.scenarios.operating import Operator
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Running
from tests.scenarios.scene import Scene
from tests.scenarios.spark_kafka import OneRead, UnionQuery

TOLD = ("--source", "0=a", "--source", "1=b", "--source", "2=c")


def offsets(*arguments: str | Path) -> tuple[int, Any]:
    """`dynamic-kafka offsets`: its exit code, and what stdout holds."""
    command = [sys.executable, "-m", "dynamic_kafka.cli", "offsets", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode in (0, 1), ended.stderr
    return ended.returncode, json.loads(ended.stdout)


def await_ids(union: UnionQuery, program: Program, count: int) -> None:
    def seen() -> int:
        program.check()
        return len(union.table.ids())

    eventually(f"the union has read {count} ids", seen, until=lambda ids: ids >= count, within=90)


def await_new_partitions(running: Running, clusters: Sequence[KafkaCluster], topic: str) -> None:
    """Adds a partition everywhere: the way back has to name each of them."""
    for cluster in clusters:
        cluster.add_partitions(topic, 3)

    def held() -> set[int]:
        found = running.offset()["clusters"]
        return {len(found[cluster.name]["topics"][topic]["partitions"]) for cluster in clusters}

    eventually("the new partitions are held", held, until=lambda seen: seen == {3}, within=60)


def union_over(folder: Path, clusters: Sequence[KafkaCluster], topic: str, starting: Sequence[str]) -> UnionQuery:
    return UnionQuery(
        folder,
        [OneRead(one.bootstrap_servers, topic, at) for one, at in zip(clusters, starting, strict=True)],
    )


@pytest.fixture
def three(a: KafkaCluster, b: KafkaCluster, c: KafkaCluster) -> tuple[KafkaCluster, ...]:
    return a, b, c


@pytest.mark.long
def test_a_union_of_three_clusters_moves_over_and_back_with_each_id_once(
    operator: Operator, three: tuple[KafkaCluster, ...], tmp_path: Path
) -> None:
    operator.creates(*three, partitions=2)
    operator.lists(*three)
    before = union_over(tmp_path / "before", three, operator.topic, ["earliest"] * 3)
    with operator.producing(*three) as ids:
        # It is killed at any moment, so that a batch may be left over, which the second start ends.
        with before.runs() as program:
            await_ids(before, program, 100)
        before.finishes()
        ids.await_more(20)
        code, starting = offsets(before.checkpoint, *TOLD, "--streams", operator.file.path)
        assert code == 0
        running = operator.starts(operator.read().starting_offsets(starting))
        running.await_rows_of("c", 20)
        await_new_partitions(running, three, operator.topic)
        running.stop_between_batches()
        running.is_not_looked_at_again("Spark's own source has gone on")
        ids.await_more(20)
        back = [offsets(running.checkpoint, "--for-spark", cluster.name) for cluster in three]
        assert [code for code, _ in back] == [0, 0, 0]
        after = union_over(tmp_path / "after", three, operator.topic, [json.dumps(text) for _, text in back])
    after.finishes()
    parts = before.table.ids(), Counter(running.values()), after.table.ids()
    assert all(parts), "each of them had its part"
    assert sum(parts, Counter()) == Counter(ids.written())


def test_a_new_query_in_python_goes_on_where_a_kept_checkpoint_ends(
    a: KafkaCluster, filed: Scene, tmp_path: Path, fresh_name: Name
) -> None:
    stream, topics = fresh_name("stream"), {"orders": fresh_name("orders"), "refunds": fresh_name("refunds")}
    unpacked("3.5", "single", tmp_path / "kept")
    for entry in (tmp_path / "kept" / "offsets").iterdir():
        text = entry.read_text()
        for old, new in topics.items():
            text = text.replace(f'"{old}"', f'"{new}"')
        entry.write_text(text)
    for name, topic in topics.items():
        a.create_topic(topic, partitions=2)
        for partition in range(2):
            write(a, topic, *numbered(f"{name} {partition} ", 7), partition=partition)
    filed.publish(stream, {"a": on(a, *topics.values())})
    checkpoint = read_checkpoint(str(tmp_path / "kept"))
    move = plan_move(checkpoint, find_clusters(checkpoint, [], {"0": "a"}), listed=["a"])
    running = filed.start(filed.read(stream).starting_offsets(move.starting_offsets).load())
    # The checkpoint has orders at 4 and 5, refunds at 3, and knows one partition of refunds alone.
    expected = [*numbered("orders 0 ", 7)[4:], *numbered("orders 1 ", 7)[5:], *numbered("refunds 0 ", 7)[3:]]
    running.await_values(expected + numbered("refunds 1 ", 7))
