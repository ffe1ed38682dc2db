"""`dynamic-kafka adopt`: a union of Spark's own Kafka sources becomes one of ours with its state, and goes back."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, session_window, window

from tests.cluster import KafkaCluster, Record
from tests.scenarios.conftest import Name
from tests.scenarios.listing import FileListing, on

PATIENCE = 120
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
COLUMNS = ("cast(value AS string) AS value", "timestamp")
Pipeline = Callable[[DataFrame], DataFrame]


def plain(rows: DataFrame) -> DataFrame:
    return rows.select("value")


def counted(rows: DataFrame) -> DataFrame:
    return rows.groupBy("value").count()


def windowed(rows: DataFrame) -> DataFrame:
    groups = rows.withWatermark("timestamp", "10 seconds").groupBy(window("timestamp", "10 seconds"))
    return groups.count().select(col("window.start").alias("value"), "count")


def sessions(rows: DataFrame) -> DataFrame:
    groups = rows.withWatermark("timestamp", "10 seconds").groupBy(session_window("timestamp", "3 seconds"), "value")
    return groups.count().select(col("session_window.start").alias("value"), "count")


def distinct(rows: DataFrame) -> DataFrame:
    return rows.dropDuplicates(["value"]).select("value")


def distinct_for_a_while(rows: DataFrame) -> DataFrame:
    return rows.withWatermark("timestamp", "1 hour").dropDuplicatesWithinWatermark(["value"]).select("value")


class Query:
    """One pipeline, by a union of Spark's own source or by one source of ours. Each run reads what is there."""

    def __init__(self, spark: SparkSession, clusters: Iterable[KafkaCluster], topic: str, pipeline: Pipeline) -> None:
        self._spark, self._clusters, self._topic, self._pipeline = spark, list(clusters), topic, pipeline
        self.batches: dict[int, list[Any]] = {}

    def sparks(self, checkpoint: Path) -> None:
        self._run(reduce(DataFrame.union, map(self._by_spark, self._clusters)), checkpoint)

    def ours(self, checkpoint: Path, streams: Path) -> None:
        reader = self._spark.readStream.format("dynamic-kafka").option("metadataService", "yaml")
        reader = reader.option("metadataService.path", str(streams)).option("streamIds", "orders")
        # Other tests count the connections of this session.
        rows = reader.option("startingOffsets", "earliest").option("consumerIdleTimeout", "1s").load()
        self._run(rows.selectExpr(*COLUMNS), checkpoint)

    def _by_spark(self, cluster: KafkaCluster) -> DataFrame:
        reader = self._spark.readStream.format("kafka").option("startingOffsets", "earliest")
        reader = reader.option("kafka.bootstrap.servers", cluster.bootstrap_servers).option("subscribe", self._topic)
        return reader.load().selectExpr(*COLUMNS)

    def _run(self, rows: DataFrame, checkpoint: Path) -> None:
        frame = self._pipeline(rows)
        mode = "update" if self._pipeline is counted else "append"
        writer = frame.writeStream.outputMode(mode).option("checkpointLocation", str(checkpoint))
        query = writer.foreachBatch(self._keep).trigger(availableNow=True).start()
        assert query.awaitTermination(PATIENCE)

    def _keep(self, batch: DataFrame, number: int) -> None:
        self.batches[number] = sorted(tuple(row) for row in batch.collect())

    def rows(self) -> list[Any]:
        return sorted(row for batch in self.batches.values() for row in batch)


def adopt(*arguments: object) -> tuple[int, Any]:
    """Its exit code, and its report or error."""
    command = [sys.executable, "-m", "dynamic_kafka.cli", "adopt", "--json", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)


@pytest.fixture
def topic(a: KafkaCluster, b: KafkaCluster, fresh_name: Name) -> str:
    name = fresh_name("topic")
    for cluster in (a, b):
        cluster.create_topic(name, partitions=2)
    return name


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


def write(clusters: Iterable[KafkaCluster], topic: str, numbers: range) -> None:
    """Each number on both partitions of each cluster, a second apart."""
    for cluster, partition in product(clusters, (0, 1)):
        records = [Record(None, f"{n}", timestamp_ms=1000 * n, partition=partition) for n in numbers]
        cluster.produce(topic, records)


MEMORY = pytest.param({}, id="in memory")
ROCKSDB = pytest.param(
    {
        "spark.sql.streaming.stateStore.providerClass": ROCKS,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    },
    id="rocksdb",
)
ROCKSDB_2 = pytest.param(
    {
        "spark.sql.streaming.stateStore.providerClass": ROCKS,
        "spark.sql.streaming.stateStore.checkpointFormatVersion": "2",
    },
    id="rocksdb, format 2",
)


KINDS = [plain, counted, windowed, sessions, distinct, distinct_for_a_while]
EVERY_DAY = [(distinct, MEMORY), (windowed, ROCKSDB_2)]
OTHERS = [(kind, store) for kind in KINDS for store in (MEMORY, ROCKSDB, ROCKSDB_2) if (kind, store) not in EVERY_DAY]


@pytest.mark.parametrize(
    ("pipeline", "stores"),
    [
        pytest.param(kind, store.values[0], id=f"{kind.__name__}, {store.id}", marks=marks)
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
    moving, staying = (Query(both, (a, b), topic, pipeline) for _ in range(2))
    old, new = tmp_path / "old", tmp_path / "new"
    for numbers in (range(20), range(15, 40)):
        write((a, b), topic, numbers)
        moving.sparks(old)
    code, report = adopt(old, new, "--streams", streams, "--source", "0=a", "--source", "1=b")
    assert code == 0, report
    before = dict(moving.batches)
    for numbers in (range(30, 60), range(55, 120)):
        write((a, b), topic, numbers)
        moving.ours(new, streams)
    # What the old query would have written, had it stayed.
    staying.batches = dict(before)
    staying.sparks(old)
    assert min(moving.batches.keys() - before.keys()) == max(before) + 1
    if pipeline is counted:
        assert dict(moving.rows()) == dict(staying.rows())
    else:
        assert moving.rows() == staying.rows()


def test_a_query_goes_back_to_sparks_own_source_with_its_state(
    both: SparkSession, a: KafkaCluster, b: KafkaCluster, topic: str, tmp_path: Path
) -> None:
    listing = FileListing(tmp_path / "streams.yaml")
    listing.publish("orders", {"a": on(a, topic)})
    query = Query(both, (a,), topic, counted)
    ours, back = tmp_path / "ours", tmp_path / "back"
    for numbers in (range(10), range(5, 20)):
        write((a,), topic, numbers)
        query.ours(ours, listing.path)
    code, report = adopt("--back", ours, back)
    assert code == 0, report
    write((a,), topic, range(15, 30))
    query.sparks(back)
    twice = {*range(5, 10), *range(15, 20)}
    assert dict(query.rows()) == {str(n): 4 if n in twice else 2 for n in range(30)}


def test_a_copy_that_was_killed_starts_no_query(
    both: SparkSession, a: KafkaCluster, b: KafkaCluster, topic: str, streams: Path, tmp_path: Path
) -> None:
    query = Query(both, (a, b), topic, distinct)
    write((a, b), topic, range(3))
    query.sparks(tmp_path / "old")
    new = tmp_path / "new"
    # As the command leaves it until its last step.
    assert adopt(tmp_path / "old", new, "--streams", streams, "--source", "0=a", "--source", "1=b")[0] == 0
    (new / ".metadata.crc").unlink(missing_ok=True)
    (new / "metadata").write_text("dynamic-kafka adopt has not finished this checkpoint.")
    with pytest.raises(Exception, match="Unrecognized token 'dynamic'"):
        query.ours(new, streams)
