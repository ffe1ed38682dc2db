"""Cases of the suites of Spark's own Kafka source: batch reads, where both sources read the same topics in one session.

docs/internals/sparks-suites.md lists all cases, with the test that holds each.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from tests.cluster import KafkaCluster, Record
from tests.scenarios.pairs import OURS, SPARKS, Options, Pair, found, options_of
from tests.scenarios.test_open_transactions import transaction
from tests.scenarios.times import (
    EARLIEST,
    FIRST,
    LATEST,
    SECOND,
    THIRD,
    at,
    by_partition,
    everywhere,
    since,
    timed,
    write,
)

# Both sources run side by side; test_one_word.py does it each day.
pytestmark = pytest.mark.long

Name = Callable[[str], str]
NEVER = 2**62


@pytest.fixture
def topic(a: KafkaCluster, fresh_name: Name) -> str:
    """Five partitions with records of three times."""
    name = fresh_name("timed")
    timed(a, name)
    return name


def of(cluster: KafkaCluster, topic: str, **more: object) -> Options:
    return {"kafka.bootstrap.servers": cluster.bootstrap_servers, "subscribe": topic, **more}


def values(rows: list[Row]) -> list[str]:
    return sorted(bytes(row["value"]).decode() for row in rows)


def same(spark: SparkSession, options: Options) -> list[str]:
    """The values of rows that both sources have."""
    ours, sparks = (found(spark, source, options) for source in (OURS, SPARKS))
    assert ours == sparks
    return values(ours)


def test_a_read_begins_and_ends_at_times_and_offsets_in_each_form(
    both: SparkSession, a: KafkaCluster, topic: str
) -> None:
    times, ends = "startingOffsetsByTimestamp", "endingOffsetsByTimestamp"
    second, third = everywhere(topic, SECOND), everywhere(topic, THIRD)
    but_one = [value for value in since(FIRST) if value[0] != "2"] + at(2, FIRST)[:1]
    forms: list[tuple[Options, list[str]]] = [
        ({times: second, ends: third}, since(SECOND, THIRD)),
        ({times: everywhere(topic, FIRST), "endingOffsets": everywhere(topic, LATEST, p2=1)}, sorted(but_one)),
        ({"startingOffsets": everywhere(topic, EARLIEST, p2=0), ends: third}, since(FIRST, THIRD)),
        ({times: second}, since(SECOND)),
        ({ends: third}, since(FIRST, THIRD)),
        ({"startingTimestamp": SECOND, "endingTimestamp": THIRD}, since(SECOND, THIRD)),
        # The first of several counts.
        ({"startingTimestamp": THIRD, times: second, "startingOffsets": "earliest"}, since(THIRD)),
        ({times: second, "startingOffsets": "earliest"}, since(SECOND)),
        # A time that no record reaches is the end, where an end is asked for.
        (
            {ends: everywhere(topic, SECOND, p2=NEVER)},
            sorted(since(FIRST, SECOND) + at(2, SECOND) + at(2, THIRD)),
        ),
    ]
    for form, expected in forms:
        assert same(both, of(a, topic, **form)) == expected, form


def test_what_spark_refuses_to_read_is_refused(both: SparkSession, a: KafkaCluster, topic: str) -> None:
    times, ends = "startingOffsetsByTimestamp", "endingOffsetsByTimestamp"
    few, many = (dict.fromkeys(range(count), SECOND) for count in (4, 6))
    refused: list[Options] = [
        {times: everywhere(topic, SECOND, p2=NEVER)},
        {"startingTimestamp": NEVER, "startingOffsetsByTimestampStrategy": "error"},
        {"startingOffsets": "latest"},
        {"startingOffsets": everywhere(topic, 0, p1=LATEST)},
        {"endingOffsets": "earliest"},
        {"endingOffsets": everywhere(topic, 1, p1=EARLIEST)},
        {"startingOffsets": everywhere(topic, 1), "endingOffsets": by_partition(topic, {0: 2, 1: 2})},
        {"startingOffsets": everywhere(topic, 1), "endingOffsets": everywhere(topic, 0)},
        {"startingOffsets": everywhere(topic, 4), ends: everywhere(topic, SECOND)},
        {"startingOffsets": by_partition(topic, {0: 1, 1: 1})},
        {times: by_partition(topic, few)},
        {times: by_partition(topic, many)},
        {"kafka.isolation.level": "intentionally_invalid"},
    ]
    for options in refused:
        for source in (OURS, SPARKS):
            with pytest.raises(Exception, match="DYNAMIC_KAFKA" if source == OURS else "."):
                found(both, source, of(a, topic, **options))


def test_a_new_read_has_what_is_there_and_one_that_is_read_twice_has_each_row_twice(
    both: SparkSession, a: KafkaCluster, topic: str
) -> None:
    fixed = everywhere(topic, LATEST, p2=2)
    expected = since(FIRST)
    for step in range(2):
        assert same(both, of(a, topic)) == sorted(expected)
        assert same(both, of(a, topic, startingOffsets="earliest", endingOffsets="latest")) == sorted(expected)
        frames = [both.read.format(one).options(**options_of(one, of(a, topic))).load() for one in (OURS, SPARKS)]
        assert [values(frame.union(frame).collect()) for frame in frames] == [sorted(expected * 2)] * 2
        ended = [value for value in expected if value[0] != "2"] + at(2, FIRST)
        assert same(both, of(a, topic, endingOffsets=fixed)) == sorted(ended)
        expected += write(a, topic, f"1-new-{step}", partition=1)
    a.delete_records(topic, dict.fromkeys(range(5), 6))
    assert same(both, of(a, topic)) == ["1-new-0", "1-new-1"]


def test_a_frame_that_is_read_again_has_the_rows_of_its_first_action_where_sparks_own_has_those_of_now(
    both: SparkSession, a: KafkaCluster, topic: str
) -> None:
    frames = {one: both.read.format(one).options(**options_of(one, of(a, topic))).load() for one in (OURS, SPARKS)}
    assert {one: values(frame.collect()) for one, frame in frames.items()} == {OURS: since(FIRST), SPARKS: since(FIRST)}
    new = write(a, topic, "new")
    assert values(frames[OURS].collect()) == since(FIRST)
    assert values(frames[SPARKS].collect()) == sorted(since(FIRST) + new)
    assert values(frames[OURS].select("value").collect()) == sorted(since(FIRST) + new), "another frame"


def test_columns_of_strange_records_are_the_same(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path
) -> None:
    topic = fresh_name("strange")
    a.create_topic(topic, partitions=3)
    headers = ((), (("a", b"b"), ("c", b"d")), (("e", b"f"), ("e", b"g"), ("h", None)))
    for partition, own in enumerate(headers):
        for key, value in ((None, None), ("1", None), (None, "2"), ("3", "4")):
            a.produce(topic, [Record(key, value, headers=own, partition=partition)])
    options = of(a, topic, includeHeaders=True, startingOffsets="earliest")
    ours, sparks = (found(both, source, options) for source in (OURS, SPARKS))
    assert ours == sparks
    assert len(ours) == 12
    pair = Pair(both, tmp_path, options, lambda rows: rows)
    pair.run()
    assert pair.ours.rows() == pair.sparks.rows() == [tuple(row) for row in ours]


@pytest.mark.parametrize("level", ["read_committed", "read_uncommitted"])
def test_a_read_of_transactions_has_the_same_rows_while_one_is_open_and_after_each_end(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, level: str
) -> None:
    topic, options = fresh_name("transactions"), {"kafka.isolation.level": level}
    a.create_topic(topic)
    seen: list[str] = []
    for end in ("commit", "abort"):
        inside = [f"{end} {n}" for n in range(5)]
        visible = sorted(seen + inside)
        with transaction(a, topic, *inside) as open_one:
            assert same(both, of(a, topic, **options)) == (seen if level == "read_committed" else visible)
            open_one.commit_transaction(30) if end == "commit" else open_one.abort_transaction(30)
        seen = seen if level == "read_committed" and end == "abort" else visible
        assert same(both, of(a, topic, **options)) == seen


def test_records_that_have_aged_out_are_left_out_and_none_comes_twice(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path
) -> None:
    topic = fresh_name("aged")
    a.create_topic(topic)
    expected = sorted(write(a, topic, *range(50))[30:])
    a.delete_records(topic, {0: 30})
    options = of(a, topic, startingOffsets=by_partition(topic, {0: 0}), failOnDataLoss=False)
    assert same(both, options) == expected
    pair = Pair(both, tmp_path, options)
    pair.run()
    assert pair.values() == expected


@pytest.mark.parametrize("choice", ["assign", "subscribe", "subscribePattern"])
def test_the_partitions_that_are_chosen_are_read_and_no_others(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, choice: str
) -> None:
    name = fresh_name("chosen")
    topics = [f"{name}-1", f"{name}-2", f"other-{name}"]  # a pattern is found anywhere in a name
    for topic in topics:
        a.create_topic(topic, partitions=2)
        for partition in (0, 1):
            write(a, topic, f"{topic} {partition}", partition=partition)
    text = {
        "assign": json.dumps({topics[0]: [1, 7], topics[1]: [0]}),
        "subscribe": ",".join(topics[:2]),
        "subscribePattern": f"{name}.*",
    }[choice]
    read = same(both, {"kafka.bootstrap.servers": a.bootstrap_servers, choice: text})
    every = [f"{topic} {partition}" for topic in topics[:2] for partition in (0, 1)]
    others = [f"{topics[2]} {partition}" for partition in (0, 1)] if choice == "subscribePattern" else []
    assert read == (every[1:3] if choice == "assign" else every + others)


def test_a_read_has_at_least_as_many_tasks_as_asked_for_and_the_plan_is_of_the_second_version(
    both: SparkSession, a: KafkaCluster, topic: str
) -> None:
    def frame(source: str, **more: object) -> DataFrame:
        return both.read.format(source).options(**options_of(source, of(a, topic, **more))).load()

    for source in (OURS, SPARKS):
        cut = frame(source, minPartitions=9)
        assert cut.rdd.getNumPartitions() >= 9
        assert values(cut.collect()) == since(FIRST)
    assert "RelationV2" in frame(OURS)._jdf.queryExecution().optimizedPlan().toString()
    for wrong in ("a", "1.0", "0", "-1"):
        with pytest.raises(Exception, match="minPartitions"):
            frame(OURS, minPartitions=wrong)
