"""What Spark's engine does with a source: reads it twice at a time, plans on other threads, logs it under a name."""

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.streaming.readwriter import DataStreamReader

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import FileListing, ProgramListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Queries

EVOLUTION = "spark.sql.streaming.queryEvolution.enableSourceEvolution"


@pytest.fixture
def topic(a: KafkaCluster, b: KafkaCluster, fresh_name: Name) -> str:
    """A topic of two partitions on a, and of one on b, both empty."""
    name = fresh_name("engine")
    a.create_topic(name, partitions=2)
    b.create_topic(name)
    return name


@pytest.fixture
def both(a: KafkaCluster, b: KafkaCluster, topic: str, program: ProgramListing) -> ProgramListing:
    program.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    return program


def test_continuous_processing_is_refused_by_spark(both: ProgramListing, source: Source, tmp_path: Path) -> None:
    writer = source(both.service, "orders").load().writeStream.format("console").outputMode("append")
    with pytest.raises(Exception, match="does not support continuous processing"):
        writer.option("checkpointLocation", str(tmp_path)).trigger(continuous="1 second").start().awaitTermination(60)


def test_a_union_with_itself_reads_each_row_twice_over_restarts_and_changes_of_the_topology(
    a: KafkaCluster, b: KafkaCluster, topic: str, both: ProgramListing, queries: Queries, source: Source
) -> None:
    """Two tasks read one range at the same time, as a speculative one would."""
    rows = source(both.service, "orders").load()
    united = rows.unionAll(rows)
    expected = write(a, topic, *numbered("a", 40)) + write(b, topic, "b1")
    running = queries.start(united)
    running.await_values(expected * 2)
    both.publish("orders", {"a": on(a, topic), "b": on(b)})
    expected += write(a, topic, "a with b gone")
    running.await_values(expected * 2)
    running.stop_between_batches()
    both.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    expected += write(b, topic, "b again")
    queries.start(united, after=running).await_values(expected * 2)


def test_two_reads_in_one_query_keep_their_own_positions_while_one_of_them_is_idle(
    a: KafkaCluster, b: KafkaCluster, topic: str, both: ProgramListing, queries: Queries, source: Source
) -> None:
    refunds = ProgramListing()
    refunds.publish("refunds", {"a": on(a, topic)})
    united = source(both.service, "orders").load().unionAll(source(refunds.service, "refunds").load())
    expected = write(b, topic, "b1")
    running = queries.start(united)
    running.await_values(expected)
    running.stop_between_batches()
    again = write(a, topic, "a1")
    queries.start(united, after=running).await_values(expected + again * 2)


def test_a_plan_with_a_shuffle_which_spark_plans_on_another_thread_reads_the_same(
    a: KafkaCluster, b: KafkaCluster, topic: str, both: ProgramListing, queries: Queries, source: Source
) -> None:
    running = queries.start(source(both.service, "orders").load().repartition(3, col("cluster")))
    expected: list[str] = []
    for step in range(3):
        expected += write(a, topic, f"a{step}") + write(b, topic, f"b{step}")
        running.await_values(expected)


def test_partitions_added_and_tasks_changed_between_two_starts_lose_and_repeat_nothing(
    a: KafkaCluster,
    b: KafkaCluster,
    topic: str,
    both: ProgramListing,
    queries: Queries,
    source: Source,
) -> None:
    rows = source(both.service, "orders").load()
    running = queries.start(rows)
    expected = write(a, topic, *numbered("a", 10)) + write(b, topic, "b1")
    running.await_values(expected)
    running.stop_between_batches()
    a.add_partitions(topic, 5)
    b.add_partitions(topic, 2)
    expected += [value for p in range(5) for value in write(a, topic, f"a in {p}", partition=p)]
    expected += write(b, topic, "b in 1", partition=1)
    limited = source(both.service, "orders").max_offsets_per_trigger(2).load()
    queries.start(limited, after=running).await_values(expected)


@pytest.mark.skipif(not hasattr(DataStreamReader, "name"), reason="this PySpark has no named sources")
def test_a_named_source_keeps_its_positions_over_restarts_and_follows_its_clusters_without(
    a: KafkaCluster, b: KafkaCluster, topic: str, file: FileListing, queries: Queries, spark: SparkSession
) -> None:
    def rows() -> DataFrame:
        reader = spark.readStream.format("dynamic-kafka").option("metadataService", "yaml")
        reader = reader.option("metadataService.path", str(file.path)).option("streamIds", "orders")
        reader = reader.option("metadataDiscoveryInterval", "300ms").option("startingOffsets", "earliest")
        return reader.name("orders").load()

    file.publish("orders", {"a": on(a, topic)})
    expected = write(a, topic, "a1")
    spark.conf.set(EVOLUTION, "true")
    try:
        running = queries.start(rows())
        running.await_values(expected)
        file.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
        expected += write(b, topic, "b1")
        running.await_values(expected)
        running.stop_between_batches()
        expected += write(a, topic, "a2") + write(b, topic, "b2")
        queries.start(rows(), after=running).await_values(expected)
    finally:
        spark.conf.unset(EVOLUTION)
