"""The ways to read: batch, SQL, triggers, beginnings, ends, limits, and the same rows twice."""

from collections import Counter
from pathlib import Path

import pytest
from dynamic_kafka.errors import TopicNotFoundError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, count

from tests.cluster import KafkaCluster, eventually
from tests.pages import forms_of_offsets
from tests.rows import COLUMNS
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Queries, values
from tests.scenarios.scene import Scene

pytestmark = pytest.mark.wire


@pytest.fixture
def topic(a: KafkaCluster, b: KafkaCluster, fresh_name: Name) -> str:
    """A topic on a, with two partitions of three records each, and on b, with one of two."""
    name = fresh_name("topic")
    a.create_topic(name, partitions=2)
    b.create_topic(name)
    for partition in (0, 1):
        write(a, name, *(f"a{partition}{n}" for n in range(3)), partition=partition)
    write(b, name, "b0", "b1")
    return name


ALL = ["a00", "a01", "a02", "a10", "a11", "a12", "b0", "b1"]


@pytest.fixture
def orders(topic: str, a: KafkaCluster, b: KafkaCluster, file: FileListing) -> FileListing:
    """Lists that topic on both clusters as the stream `orders`."""
    file.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    return file


def test_a_bounded_read_gives_what_is_there_as_rows_of_ten_columns(orders: FileListing, source: Source) -> None:
    frame = source(orders.service, "orders").bounded().load()
    assert frame.dtypes == COLUMNS
    assert values(frame.collect()) == ALL
    assert frame.count() == len(ALL)
    assert {row["cluster"]: row["n"] for row in frame.groupBy("cluster").agg(count("*").alias("n")).collect()} == {
        "a": 6,
        "b": 2,
    }


def test_a_table_of_sql_is_read_at_once_and_as_a_stream(
    orders: FileListing, spark: SparkSession, queries: Queries, fresh_name: Name
) -> None:
    table = fresh_name("orders").replace("-", "_")
    spark.sql(
        f"CREATE TABLE {table} USING `dynamic-kafka` OPTIONS "
        f"(metadataService 'yaml', 'metadataService.path' '{orders.path}', streamIds 'orders', "
        "startingOffsets 'earliest')"
    )
    try:
        counted = spark.sql(f"SELECT cluster, count(*) AS n FROM {table} WHERE offset > 0 GROUP BY cluster").collect()  # noqa: S608
        assert {row["cluster"]: row["n"] for row in counted} == {"a": 4, "b": 1}
        for frame in (spark.readStream.table(table), spark.sql(f"SELECT * FROM STREAM {table}")):  # noqa: S608
            running = queries.start(frame, availableNow=True)
            running.await_end()
            running.await_values(ALL)
    finally:
        spark.sql(f"DROP TABLE {table}")


def test_each_form_on_the_page_of_offsets_is_taken_as_a_start_and_as_an_end(
    orders: FileListing, source: Source
) -> None:
    for form in forms_of_offsets():
        assert source(orders.service, "orders").starting_offsets(form).bounded(form).load().dtypes == COLUMNS, form


def test_one_limit_holds_over_all_clusters_and_none_starves(
    a: KafkaCluster, b: KafkaCluster, scene: Scene, fresh_name: Name
) -> None:
    topic = fresh_name("limited")
    a.create_topic(topic, partitions=3)
    b.create_topic(topic)
    expected = [value for p in range(3) for value in write(a, topic, *numbered(f"a{p}-", 30), partition=p)]
    expected += write(b, topic, *numbered("b", 3))
    scene.publish("limited", {"a": on(a, topic), "b": on(b, topic)})
    rows = scene.read("limited").max_offsets_per_trigger(10).load()
    running = scene.start(rows, availableNow=True)
    running.await_end(60)
    running.await_values(expected)
    sizes = [len(batch) for _, batch in sorted(running.batches.items())]
    assert max(sizes) == 10
    read = [progress.numInputRows for progress in running.query.recentProgress]
    assert [size for size in read if size] == [size for size in sizes if size]
    small = [number for number, batch in running.batches.items() if any(row["cluster"] == "b" for row in batch)]
    assert min(small) <= sorted(running.batches)[5], "the small backlog waits for the large one"


def test_two_actions_on_a_batch_see_the_same_rows(orders: FileListing, source: Source, tmp_path: Path) -> None:
    seen: list[tuple[int, list[str], int]] = []

    def twice(batch: DataFrame, _: int) -> None:
        seen.append((batch.count(), values(batch.collect()), batch.filter(col("cluster") == "b").count()))

    rows = source(orders.service, "orders").load()
    writer = rows.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint")).foreachBatch(twice)
    writer.trigger(availableNow=True).start().awaitTermination(60)
    assert [batch for batch in seen if batch[0]] == [(len(ALL), ALL, 2)]


def test_any_choice_of_columns_gives_the_same_values(orders: FileListing, queries: Queries, source: Source) -> None:
    batch, rows = source(orders.service, "orders").bounded().load(), source(orders.service, "orders").load()
    whole = batch.collect()
    for names in (["offset"], ["cluster"], ["stream", "partition"], ["headers"], ["timestamp", "key"], []):
        expected = Counter(tuple(row[name] for name in names) for row in whole)
        assert Counter(tuple(row) for row in batch.select(*names).collect()) == expected, names
    running = queries.start(rows.select("offset"), availableNow=True)
    running.await_end()
    assert sorted(row["offset"] for row in running.rows()) == [0, 0, 0, 1, 1, 1, 2, 2]


def test_nothing_is_lost_where_spark_logs_only_some_batches(
    orders: FileListing, b: KafkaCluster, topic: str, source: Source, tmp_path: Path
) -> None:
    """Asynchronous progress tracking leaves gaps in the log, and repeats what came after its last entry."""
    rows = source(orders.service, "orders").load()
    checkpoint, seen, expected, batches = tmp_path / "async", set[str](), set(ALL), set[int]()

    def keep(batch: DataFrame, number: int) -> None:
        batches.add(number)
        seen.update(values(batch.collect()))

    for start in range(2):
        writer = rows.writeStream.option("checkpointLocation", str(checkpoint)).foreachBatch(keep)
        writer = writer.option("asyncProgressTrackingEnabled", True).trigger(processingTime="50 milliseconds")
        # The sink is said to bear it.
        writer = writer.option("_asyncProgressTrackingOverrideSinkSupportCheck", True)
        query = writer.option("asyncProgressTrackingCheckpointIntervalMs", 5000).start()
        try:
            for step in range(8):
                expected.update(write(b, topic, f"{start}.{step}"))
                eventually("it is read", lambda: seen >= expected, within=40)
        finally:
            query.stop()
    logged = {int(path.name) for path in (checkpoint / "offsets").glob("[0-9]*")}
    assert batches - logged, "the log has gaps"
    assert seen == expected


def test_a_missing_topic_is_reported_and_waited_for_but_fails_a_batch_read(
    a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene, fresh_name: Name
) -> None:
    missing, absent = sorted(fresh_name("missing") for _ in range(2))
    scene.publish("orders", {"a": on(a, topic), "b": on(b, missing, absent)})
    running = scene.start(scene.read("orders").load())
    running.await_values(ALL[:6])
    running.await_metric("missingTopics", lambda seen: seen == "2")
    with pytest.raises(Exception, match="DYNAMIC_KAFKA_TOPIC_NOT_FOUND") as failed:
        scene.read("orders").bounded().load().collect()
    from dynamic_kafka import find_error

    error = find_error(failed.value)
    assert isinstance(error, TopicNotFoundError)
    assert (error.cluster, error.topics) == ("b", (missing, absent))
    for name in (missing, absent):
        b.create_topic(name)
    running.await_values(ALL[:6] + write(b, missing, "at last"))
    running.await_metric("missingTopics", lambda seen: seen == "0")
