"""`dynamic-kafka adopt`: a union of Spark's own Kafka sources becomes one of ours with its state, and goes back."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import write_numbers
from tests.scenarios.unions import (
    KINDS,
    STORES,
    Pipeline,
    Query,
    counted,
    distinct,
    windowed,
)


def adopt(*arguments: object) -> tuple[int, Any]:
    """Its exit code, and its report or error."""
    command = [
        sys.executable,
        "-m",
        "dynamic_kafka.cli",
        "adopt",
        "--json",
        *map(str, arguments),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)


@pytest.fixture
def partitions_of_topic() -> int:
    return 2


@pytest.fixture
def streams(a: KafkaCluster, b: KafkaCluster, topic: str, tmp_path: Path) -> Path:
    listing = FileListing(tmp_path / "streams.yaml")
    listing.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    return listing.path


@pytest.fixture
def stores(both: SparkSession, request: pytest.FixtureRequest) -> Iterator[None]:
    settings = {"spark.sql.shuffle.partitions": "2", **getattr(request, "param", {})}
    for key, value in settings.items():
        both.conf.set(key, value)
    yield
    for key in settings:
        both.conf.unset(key)


def addresses(*clusters: KafkaCluster) -> dict[str, str]:
    return {cluster.name: cluster.bootstrap_servers for cluster in clusters}


EVERY_DAY = [(distinct, "in memory"), (windowed, "rocksdb, format 2")]
OTHERS = [(kind, store) for kind in KINDS for store in STORES if (kind, store) not in EVERY_DAY]


@pytest.mark.parametrize(
    ("pipeline", "stores"),
    [
        pytest.param(kind, STORES[store], id=f"{kind.__name__}, {store}", marks=marks)
        for chosen, marks in ((EVERY_DAY, ()), (OTHERS, pytest.mark.long))
        for kind, store in chosen
    ],
    indirect=["stores"],
)
@pytest.mark.usefixtures("stores")
def test_a_union_continues_as_one_source_with_its_state(
    both: SparkSession,
    a: KafkaCluster,
    b: KafkaCluster,
    topic: str,
    streams: Path,
    pipeline: Pipeline,
    tmp_path: Path,
) -> None:
    moving, staying = (Query(both, addresses(a, b), topic, pipeline) for _ in range(2))
    old, new = tmp_path / "old", tmp_path / "new"
    for numbers in (range(20), range(15, 40)):
        write_numbers((a, b), topic, numbers)
        moving.sparks(old)
    code, report = adopt(old, new, "--streams", streams, "--source", "0=a", "--source", "1=b")
    assert code == 0, report
    before = dict(moving.batches)
    for numbers in (range(30, 60), range(55, 120)):
        write_numbers((a, b), topic, numbers)
        moving.ours(new, streams)
    # What the old query would have written, had it stayed.
    staying.batches = dict(before)
    staying.sparks(old)
    assert min(moving.batches.keys() - before.keys()) == max(before) + 1
    assert moving.outcome() == staying.outcome()
    assert any(rows for number, rows in moving.batches.items() if number not in before)


@pytest.mark.slow
def test_a_query_goes_back_to_sparks_own_source_with_its_state(
    both: SparkSession, a: KafkaCluster, b: KafkaCluster, topic: str, tmp_path: Path
) -> None:
    listing = FileListing(tmp_path / "streams.yaml")
    listing.publish("orders", {"a": on(a, topic)})
    query = Query(both, addresses(a), topic, counted)
    ours, back = tmp_path / "ours", tmp_path / "back"
    for numbers in (range(10), range(5, 20)):
        write_numbers((a,), topic, numbers)
        query.ours(ours, listing.path)
    code, report = adopt("--back", ours, back)
    assert code == 0, report
    write_numbers((a,), topic, range(15, 30))
    query.sparks(back)
    twice = {*range(5, 10), *range(15, 20)}
    assert dict(query.rows()) == {str(n): 4 if n in twice else 2 for n in range(30)}


@pytest.mark.slow
def test_a_copy_that_was_killed_starts_no_query(
    both: SparkSession,
    a: KafkaCluster,
    b: KafkaCluster,
    topic: str,
    streams: Path,
    tmp_path: Path,
) -> None:
    query = Query(both, addresses(a, b), topic, distinct)
    write_numbers((a, b), topic, range(3))
    query.sparks(tmp_path / "old")
    new = tmp_path / "new"
    # As the command leaves it until its last step.
    assert (
        adopt(
            tmp_path / "old",
            new,
            "--streams",
            streams,
            "--source",
            "0=a",
            "--source",
            "1=b",
        )[0]
        == 0
    )
    (new / ".metadata.crc").unlink(missing_ok=True)
    (new / "metadata").write_text("dynamic-kafka adopt has not finished this checkpoint.")
    with pytest.raises(Exception, match="Unrecognized token 'dynamic'"):
        query.ours(new, streams)
