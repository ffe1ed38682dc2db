"""Filters of a batch read decide what is fetched, and never what is found."""

import socket
from collections.abc import Iterator

import pytest
from dynamic_kafka import ClusterMetadata, KafkaStream
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, expr

from tests.cluster import KafkaCluster, Record
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import Scripted, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import values
from tests.scenarios.scene import Scene

pytestmark = pytest.mark.wire


# 2023-11-14 22:13:20 UTC, and one record each minute from then on.
BEGIN = 1_700_000_000_000
MINUTE = 60_000


def scanned(frame: DataFrame) -> int:
    """How many rows the scan of a DataFrame without a shuffle gave, once it was collected."""
    leaf = frame._jdf.queryExecution().executedPlan().collectLeaves().apply(0)
    return int(leaf.metrics().apply("numOutputRows").value())


def explained(frame: DataFrame, capsys: pytest.CaptureFixture[str], mode: str = "simple") -> str:
    frame.explain(mode)
    return capsys.readouterr().out


@pytest.fixture
def timed(a: KafkaCluster, b: KafkaCluster, scene: Scene, fresh_name: Name) -> DataFrame:
    """Ten records in each of two partitions on a, whose times go back and forth, and ten on b, whose broker gives them
    the time at which they arrive."""
    topic = fresh_name("timed")
    a.create_topic(topic, partitions=2)
    b.create_topic(topic, config={"message.timestamp.type": "LogAppendTime"})
    for partition, minutes in enumerate(([0, 3, 1, 2, 4, 8, 5, 6, 7, 9], range(10, 20))):
        times = [(minute, BEGIN + MINUTE * minute) for minute in minutes]
        a.produce(topic, [Record(None, f"a{n}", timestamp_ms=at, partition=partition) for n, at in times])
    write(b, topic, *numbered("b", 10))
    scene.publish("timed", {"a": on(a, topic), "b": on(b, topic)})
    return scene.read("timed").bounded().load()


# Each with how many of the 30 rows are fetched for it. Those of a are of 2023, those of b of now.
CONDITIONS: dict[str, int] = {
    "cluster = 'b'": 10,
    "'a' = cluster AND partition = 1": 10,
    "cluster IN ('b', 'c') OR (partition = 0 AND offset >= 8)": 12,
    "cluster NOT IN ('b', NULL)": 0,
    "NOT (cluster = 'a' AND offset < 7)": 16,
    "cluster <> 'a' AND offset BETWEEN 2 AND 4": 3,
    "topic LIKE 'timed%' AND stream LIKE 'tim_d' AND offset = 3": 3,
    "topic LIKE 'other%'": 0,
    "cluster COLLATE UTF8_LCASE = 'B'": 30,
    "upper(cluster) = 'B' AND partition + 1 = 1": 30,
    "CAST(partition AS STRING) = '1'": 30,
    "CAST(offset AS DOUBLE) >= 8": 30,
    "cluster <=> NULL OR offset >= 9L": 3,
    # In partition 0 the first record of that time is at offset 5, and one before it follows.
    "cluster = 'a' AND timestamp >= timestamp_millis(1700000360000)": 15,
    "cluster = 'a' AND timestamp > timestamp_millis(1700000359999) AND timestamp < timestamp_millis(1700000481000)": 15,
    "cluster = 'a' AND timestamp = timestamp_millis(1700000960000)": 4,
    "timestamp >= TIMESTAMP '2024-01-01 00:00:00 UTC'": 10,
    "timestamp >= TIMESTAMP '1969-12-31 00:00:00'": 30,
    "timestamp < TIMESTAMP '2024-01-01 00:00:00 UTC'": 30,
    "CAST(timestamp AS DATE) >= DATE '2024-01-01'": 10,
    # Spark turns it into a time of the session's zone.
    "timestamp >= TIMESTAMP_NTZ '2023-11-14 22:20:00' AND cluster = 'a'": 15,
    "cluster = 'a' AND (timestamp IS NULL OR offset IS NULL)": 0,
    "cluster = 'a' OR rand() < 2": 30,
    "value IS NULL OR cluster = 'b'": 30,
}


def test_any_filter_finds_what_it_finds_in_all_rows_and_fetches_no_more_than_it_must(
    timed: DataFrame, spark: SparkSession
) -> None:
    whole = spark.createDataFrame(timed.collect(), timed.schema)
    judged = whole.select("value", *(expr(condition).alias(condition) for condition in CONDITIONS)).collect()
    assert len(judged) == 30
    found, expected, fetched = {}, {}, {}
    for condition in CONDITIONS:
        frame = timed.where(condition)
        found[condition] = values(frame.collect())
        expected[condition] = values(row for row in judged if row[condition])
        fetched[condition] = scanned(frame)
    assert found == expected
    assert fetched == CONDITIONS


@pytest.fixture
def nobody() -> Iterator[socket.socket]:
    """A port that takes connections and answers nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def visited(server: socket.socket) -> bool:
    """Whether anybody has connected."""
    try:
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def test_a_cluster_that_is_left_out_is_not_contacted_and_may_be_down(
    a: KafkaCluster, scene: Scene, nobody: socket.socket, fresh_name: Name
) -> None:
    topic = fresh_name("topic")
    a.create_topic(topic)
    expected = write(a, topic, *numbered("a", 3))
    port = nobody.getsockname()[1]
    down = ClusterMetadata([topic], bootstrap_servers=f"127.0.0.1:{port}")
    scene.publish("orders", {"a": on(a, topic), "down": down})
    frame = scene.read("orders").cluster_request_timeout("2s").bounded().load()
    read = frame.where(col("cluster") == "a")
    assert values(read.collect()) == expected
    assert not visited(nobody)
    with pytest.raises(Exception, match="DYNAMIC_KAFKA_CLUSTER_UNREACHABLE"):
        frame.where(col("offset") >= 0).collect()
    assert visited(nobody)


def test_a_topic_that_is_left_out_may_be_missing(a: KafkaCluster, scene: Scene, fresh_name: Name) -> None:
    topic, missing = fresh_name("topic"), fresh_name("missing")
    a.create_topic(topic)
    expected = write(a, topic, "a0")
    scene.publish("orders", {"a": on(a, topic, missing)})
    frame = scene.read("orders").bounded().load()
    assert values(frame.where(col("topic") == topic).collect()) == expected
    with pytest.raises(Exception, match="DYNAMIC_KAFKA_TOPIC_NOT_FOUND"):
        frame.collect()


def test_a_plan_shows_filters(timed: DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    late = timed.where("cluster = 'a' AND offset >= 8").select("value")
    for mode in ("simple", "cost"):
        shown = "dynamic-kafka streams timed, fetched where [cluster = a, offset >= 8]"
        assert shown in explained(late, capsys, mode)


def test_what_was_explained_is_read_as_of_the_time_when_it_is_read(
    timed: DataFrame, b: KafkaCluster, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = timed.where("cluster = 'b'")
    assert "fetched where [cluster = b]" in explained(frame, capsys, "cost")
    write(b, timed.first()["topic"], "b10")  # type: ignore[index]
    assert len(frame.collect()) == 11


def test_a_plan_asks_nobody_and_a_join_asks_once_for_each_side(
    a: KafkaCluster, source: Source, fresh_name: Name, capsys: pytest.CaptureFixture[str]
) -> None:
    topic = fresh_name("topic")
    a.create_topic(topic)
    write(a, topic, *numbered("a", 3))
    service, asked = Scripted(), list[int]()
    service.put(KafkaStream("orders", {"a": on(a, topic)}))
    service.act = lambda: asked.append(1)
    frame = source(service, "orders").bounded().load().select("topic", "offset")
    joined = frame.where("offset > 0").join(frame, ["topic", "offset"])
    assert "fetched where" in explained(joined, capsys, "cost")
    assert asked == []
    assert joined.count() == 2
    assert len(asked) == 2
