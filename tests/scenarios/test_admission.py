"""How much a batch holds and how it is cut into tasks: by numbers, bytes, and the times of the records."""

from collections import Counter

import pytest
from dynamic_kafka import DynamicKafkaSourceBuilder
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.functions import col, count, spark_partition_id, unix_millis, window

from tests.cluster import KafkaCluster, Record, eventually
from tests.scenarios.conftest import Source
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.listing import on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog

# A day long ago, and records of it, which brokers would otherwise delete at once.
DAY, MINUTE = 1_767_225_600_000, 60_000
NEXT_DAY = DAY + 24 * 60 * MINUTE


@pytest.fixture
def orders(a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene) -> Source:
    """The read of that topic on both clusters."""
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    return lambda: scene.read("orders")


def write_at(cluster: KafkaCluster, topic: str, prefix: str, *times: int) -> list[str]:
    """Writes a record for each of these times (ms), and returns the values."""
    values = numbered(prefix, len(times))
    records = [Record(None, value, timestamp_ms=time) for value, time in zip(values, times, strict=True)]
    cluster.produce(topic, records)
    return values


def filled(running: Running) -> list[list[Row]]:
    """The batches that hold records, in order."""
    return [batch for _, batch in sorted(running.batches.items()) if batch]


def test_too_little_is_held_back_over_all_clusters_until_more_comes_or_the_delay_is_over(
    a: KafkaCluster, b: KafkaCluster, topic: str, orders: Source, queries: Queries
) -> None:
    patient = orders().min_offsets_per_trigger(10).max_trigger_delay("1h")
    running = queries.start(patient.load())
    # The positions are recorded all the same.
    eventually("positions are recorded", running.offset, until=lambda at: {*at["clusters"]} == {"a", "b"}, within=40)
    expected = write(a, topic, *numbered("a", 4)) + write(b, topic, *numbered("b", 5))
    running.await_metric("pendingRecords", lambda seen: seen == "9")
    assert running.values() == []
    expected += write(b, topic, "the tenth")
    running.await_values(expected)
    assert len(filled(running)) == 1
    running.stop_between_batches()
    expected += write(a, topic, "waited before the start")
    again = queries.start(orders().min_offsets_per_trigger(10).max_trigger_delay("1s").load(), after=running)
    again.await_values(expected)
    expected += write(a, topic, "alone")
    again.await_values(expected)
    again.stop_between_batches()
    expected += write(b, topic, "waits for nobody")
    last = queries.start(patient.load(), after=again, availableNow=True)
    last.await_end()
    last.await_values(expected)


def test_a_limit_in_bytes_follows_the_size_of_what_was_read(
    a: KafkaCluster, b: KafkaCluster, topic: str, orders: Source, queries: Queries
) -> None:
    values = [f"{number:04}" * 1000 for number in range(24)]
    expected = write(a, topic, *values[:16]) + write(b, topic, *values[16:])
    running = queries.start(orders().max_bytes_per_trigger(12_500).load(), availableNow=True)
    running.await_end()
    running.await_values(expected)
    # 12 of a kilobyte are let in where nothing is known yet; then 3 of 4,000 bytes.
    assert [len(batch) for batch in filled(running)] == [12, 3, 3, 3, 3]


def test_batches_and_reads_are_cut_into_as_many_tasks_as_asked_for(
    a: KafkaCluster, b: KafkaCluster, topic: str, orders: Source, queries: Queries
) -> None:
    expected = write(a, topic, *numbered("a", 70)) + write(b, topic, *numbered("b", 10))
    expected_rows = Counter(expected)

    def by_task(frame: DataFrame) -> DataFrame:
        return frame.select("value", "cluster", spark_partition_id().alias("task"))

    def tasks(rows: list[Row]) -> Counter[int]:
        assert Counter(bytes(row["value"]).decode() for row in rows) == expected_rows
        return Counter(row["task"] for row in rows)

    # Nobody knows yet what records take: these are worth a task for each core.
    assert len(tasks(by_task(orders().bounded().load()).collect())) == 2
    assert len(tasks(by_task(orders().bounded().min_partitions(5).load()).collect())) == 5
    small = tasks(by_task(orders().bounded().max_records_per_partition(8).load()).collect())
    assert len(small) >= 10
    assert max(small.values()) <= 8
    running = queries.start(by_task(orders().max_records_per_partition(8).min_partitions(20).load()), availableNow=True)
    running.await_end()
    cut = tasks(running.rows())
    assert len(cut) == 20
    assert max(cut.values()) <= 8


def one_a_day_behind(a: KafkaCluster, b: KafkaCluster, topic: str) -> Counter[tuple[str, int]]:
    """Fills the topic, on b with records of a day before those on a; returns how many each window of 10 min holds."""
    late = [DAY + number * 6 * MINUTE for number in range(10)]
    early = [NEXT_DAY + number * 4 * MINUTE for number in range(6)]
    write_at(b, topic, "b", *late)
    write_at(a, topic, "a", *early)
    return Counter(("b", time // (10 * MINUTE)) for time in late) + Counter(
        ("a", time // (10 * MINUTE)) for time in early
    )


def windows(read: DynamicKafkaSourceBuilder) -> DataFrame:
    """How many records of each cluster lie in each 10 min, none later than 10 min behind the newest counted."""
    rows = read.max_offsets_per_trigger(4).load().withWatermark("timestamp", "10 minutes")
    counted = rows.groupBy(window(col("timestamp"), "10 minutes"), "cluster").agg(count("*").alias("n"))
    return counted.select("cluster", unix_millis(col("window.start")).alias("start"), "n")


def totals(running: Running) -> Counter[tuple[str, int]]:
    """The last count of each window."""
    return Counter({(row["cluster"], row["start"] // (10 * MINUTE)): row["n"] for row in running.rows()})


def test_a_window_loses_no_row_while_a_cluster_catches_up_a_day_within_the_skew(
    a: KafkaCluster, b: KafkaCluster, topic: str, orders: Source, queries: Queries
) -> None:
    truth = one_a_day_behind(a, b, topic)
    running = queries.start(windows(orders().max_timestamp_skew("10m")), mode="update")
    running.await_metric("pendingRecords", lambda seen: seen == "0")
    running.query.processAllAvailable()
    assert totals(running) == truth


def test_without_the_skew_the_same_window_loses_rows(
    a: KafkaCluster, b: KafkaCluster, topic: str, orders: Source, queries: Queries
) -> None:
    """Or the test before it would prove nothing."""
    truth = one_a_day_behind(a, b, topic)
    running = queries.start(windows(orders()), mode="update", availableNow=True)
    running.await_end()
    lost = truth - totals(running)
    assert lost
    assert {cluster for cluster, _ in lost} == {"b"}


def test_the_skew_orders_the_batches_of_an_available_now_run_and_times_that_fall_end_it_too(
    a: KafkaCluster, b: KafkaCluster, topic: str, orders: Source, queries: Queries
) -> None:
    steps = [0, 4, 30, 8, 12, 60, 61]
    times = {
        value: time
        for cluster, start in ((a, DAY), (b, DAY + 20 * MINUTE))
        for value, time in zip(
            write_at(cluster, topic, cluster.name, *(start + step * MINUTE for step in steps)),
            (start + step * MINUTE for step in steps),
            strict=True,
        )
    }
    running = queries.start(orders().max_timestamp_skew("10m").load(), availableNow=True)
    running.await_end()
    running.await_values(list(times))
    unread = {"a": [f"a{n}" for n in range(len(steps))], "b": [f"b{n}" for n in range(len(steps))]}
    for batch in filled(running):
        lowest = min(times[values[0]] for values in unread.values() if values)
        for row in batch:
            value = bytes(row["value"]).decode()
            assert times[value] <= lowest + 10 * MINUTE, f"{value} is read too early"
            unread[row["cluster"]].remove(value)


def test_a_cluster_without_a_backlog_holds_nobody(
    a: KafkaCluster, b: KafkaCluster, topic: str, orders: Source, queries: Queries
) -> None:
    running = queries.start(orders().max_timestamp_skew("1m").load())
    expected = write_at(a, topic, "a", DAY, NEXT_DAY)
    running.await_values(expected)
    expected += write_at(b, topic, "b", DAY)
    running.await_values(expected)
    expected += write_at(a, topic, "later", NEXT_DAY + MINUTE, NEXT_DAY + 60 * MINUTE)
    running.await_values(expected)


def test_a_cluster_that_does_not_answer_holds_the_others_at_its_place_and_then_lets_go(
    a: KafkaCluster, b: KafkaCluster, topic: str, orders: Source, queries: Queries, log: SessionLog, spark: SparkSession
) -> None:
    def read(wait: str) -> DataFrame:
        skipping = orders().unavailable_cluster_policy("skip").cluster_request_timeout("2s")
        return skipping.max_timestamp_skew("10m").max_skew_wait(wait).load()

    running = queries.start(read("1h"))
    expected = write_at(a, topic, "a", DAY) + write_at(b, topic, "b", DAY)
    running.await_values(expected)
    b.kill()
    running.await_state("b", "unavailable")
    later = write_at(a, topic, "later", DAY + 5 * MINUTE, DAY + 30 * MINUTE)
    expected += later[:1]
    running.await_values(expected)
    running.await_metric("cluster.a.pendingRecords", lambda seen: seen == "1")
    assert log.lines("skew waits cluster=b within=1h")
    running.stop_between_batches()
    # Where b is in time nobody knows after the restart: all wait, and not for long.
    again = queries.start(read("1s"), after=running)
    again.await_values(expected + later[1:])
    log.await_line("CLUSTER_UNREACHABLE.*Nothing could be read of cluster b .*maxSkewWait")
    again.stop()
    threads = DriverJvm(spark).our_threads
    eventually("no look is under way", threads, until=lambda seen: not any("times" in name for name in seen), within=10)
