"""Cases of the suites of Spark's own Kafka source: streams, where both sources run in one session on the same topics.

docs/internals/sparks-suites.md lists all cases, with the test that holds each.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, window

from tests.cluster import KafkaCluster, Record
from tests.scenarios.pairs import CHOICES, OURS, SPARKS, Options, Pair, Stream
from tests.scenarios.pairs import stream_of as of
from tests.scenarios.test_open_transactions import transaction
from tests.scenarios.times import EARLIEST, FIRST, LATEST, SECOND, at, everywhere, since, timed, write

pytestmark = pytest.mark.slow

Name = Callable[[str], str]


@pytest.fixture
def topic(a: KafkaCluster, fresh_name: Name) -> str:
    """One partition, empty."""
    name = fresh_name("case")
    a.create_topic(name)
    return name


@contextmanager
def configured(spark: SparkSession, **values: str) -> Iterator[None]:
    names = {name: name.replace("__", ".") for name in values}
    before = {name: spark.conf.get(key, None) for name, key in names.items()}
    for name, key in names.items():
        spark.conf.set(key, values[name])
    yield
    for name, key in names.items():
        spark.conf.unset(key)
        if before[name] is not None:
            spark.conf.set(key, str(before[name]))


@pytest.mark.parametrize("fails", [True, pytest.param(False, marks=pytest.mark.long)], ids=["fails", "goes-on"])
@pytest.mark.parametrize("choice", CHOICES)
def test_a_stream_begins_where_it_is_told_goes_on_after_a_stop_and_reads_new_partitions(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path, choice: str, fails: bool
) -> None:
    topic = fresh_name("timed")
    timed(a, topic)
    specific = everywhere(topic, 2, p0=EARLIEST, p1=LATEST, p2=0, p3=1)
    starts: dict[str, tuple[Options, list[str]]] = {
        "latest": ({"startingOffsets": "latest"}, []),
        "earliest": ({"startingOffsets": "earliest"}, since(FIRST)),
        "specific": ({"startingOffsets": specific}, without(since(FIRST), *of_specific())),
        "timestamps": (
            {"startingOffsetsByTimestamp": everywhere(topic, SECOND, p4=FIRST)},
            sorted(since(SECOND) + at(4, FIRST)),
        ),
        "timestamp": ({"startingTimestamp": SECOND}, since(SECOND)),
    }
    pairs = {
        name: Pair(both, tmp_path / name, of(a, topic, choice, failOnDataLoss=fails, **start))
        for name, (start, _) in starts.items()
    }
    added: list[str] = []
    for step in range(3):
        for pair in pairs.values():
            pair.begin()
        for pair in pairs.values():
            pair.end()
        assert {name: pair.values() for name, pair in pairs.items()} == {
            name: sorted(first + added) for name, (_, first) in starts.items()
        }
        added += write(a, topic, f"added {step}", partition=step)
        if step == 1 and choice != "assign":
            a.add_partitions(topic, 8)
            added += write(a, topic, "in a new partition", partition=7)


def of_specific() -> list[str]:
    """What lies before the offsets latest, 1 and 2 of the partitions 1, 3 and 4."""
    return [value for value in since(FIRST) if value[0] == "1"] + at(3, FIRST)[:1] + at(4, FIRST)


def without(values: list[str], *left_out: str) -> list[str]:
    return [value for value in values if value not in left_out]


@pytest.mark.parametrize("choice", CHOICES[:2])
def test_a_time_that_a_partition_does_not_reach_fails_a_stream_or_is_its_end(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path, choice: str
) -> None:
    topic = fresh_name("short")
    timed(a, topic, short=4)
    starts = {"startingTimestamp": SECOND, "startingOffsetsByTimestamp": everywhere(topic, SECOND)}
    key = "startingoffsetsbytimestampstrategy"
    for name, start in starts.items():
        for number, strategy in enumerate(({}, {key: "error"})):
            failing = Pair(both, tmp_path / f"{name} {number}", of(a, topic, choice, **{name: start, **strategy}))
            failing.begin()
            assert "startingOffsetsByTimestampStrategy" in failing.ours.failure()
            assert failing.sparks.failure()
    pairs = [
        Pair(both, tmp_path / name, of(a, topic, choice, **{name: at, key: "latest"})) for name, at in starts.items()
    ]
    expected = [value for value in since(SECOND) if value[0] != "4"]
    for _ in range(2):
        for pair in pairs:
            pair.run()
        assert [pair.values() for pair in pairs] == [sorted(expected)] * 2
        expected += write(a, topic, "later, and earlier by its time", partition=4, time=FIRST)


def test_whole_topics_begin_where_a_word_says_and_a_topic_that_matches_later_at_its_beginning(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path
) -> None:
    """Newer versions of Spark's own source know this form. The one that is here does not."""
    name = fresh_name("words")
    first, second, third = (f"{name}-{number}" for number in range(3))
    for topic in (first, second):
        a.create_topic(topic, partitions=2)
    expected = write(a, first, "is read", partition=1)
    write(a, second, "was before")
    starting = json.dumps({first: "earliest", second: "LATEST"})
    stream = Stream(both, tmp_path, OURS, of(a, name, "subscribePattern", startingOffsets=starting))
    stream.run()
    assert stream.values() == expected
    expected += write(a, first, "goes on") + write(a, second, "came after", partition=1)
    a.create_topic(third)
    expected += write(a, third, "of a topic that came later")
    stream.run()
    assert stream.values() == sorted(expected)


@pytest.mark.parametrize("level", ["read_committed", "read_uncommitted"])
def test_transactions_are_read_in_the_same_batches(
    both: SparkSession, a: KafkaCluster, topic: str, tmp_path: Path, level: str
) -> None:
    limits: Options = {"kafka.isolation.level": level, "maxOffsetsPerTrigger": 3}
    pair = Pair(both, tmp_path, {**of(a, topic), **limits})
    with transaction(a, topic, *map(str, range(5))) as open_one:
        pair.run()
        assert pair.values() == ([] if level == "read_committed" else list("01234"))
        open_one.commit_transaction(30)
    # A value is the offset of its record. Each transaction has a marker behind it.
    for first, until, end in ((6, 11, "abort"), (12, 17, "commit"), (18, 19, "commit"), (20, 21, "commit")):
        a.produce(topic, [(None, str(n)) for n in range(first, until)], transaction=end)  # type: ignore[arg-type]
    pair.run()
    aborted = [] if level == "read_committed" else [str(n) for n in range(6, 11)]
    assert pair.values() == sorted(["0", "1", "2", "3", "4", "12", "13", "14", "15", "16", "18", "20", *aborted])
    assert len(pair.batches()) in (7, 8, 9)


def test_what_was_fetched_too_much_of_one_batch_harms_none_of_the_next(
    both: SparkSession, a: KafkaCluster, topic: str, tmp_path: Path
) -> None:
    pair = Pair(both, tmp_path, {**of(a, topic), "kafka.isolation.level": "read_committed"})
    first, second = [(None, str(n)) for n in range(4)], [(None, str(n)) for n in range(4, 8)]

    def more(_: DataFrame, number: int) -> None:
        if number == 0:
            a.produce(topic, second, transaction="commit")

    a.produce(topic, first, transaction="commit")
    pair.ours.before = more
    for stream in pair.both:
        stream.read_all()
    assert pair.values() == [value for _, value in first + second]
    assert [len(batch) for batch in pair.ours.batches.values()] == [4, 4]


def test_a_run_has_as_many_batches_as_its_limit_makes_and_the_largest_limit_overflows_nothing(
    both: SparkSession, a: KafkaCluster, topic: str, tmp_path: Path
) -> None:
    expected = write(a, topic, *range(10, 25))
    limited = Pair(both, tmp_path / "five", of(a, topic, maxOffsetsPerTrigger=5))
    huge = {"startingOffsets": json.dumps({topic: {"0": 5}}), "maxOffsetsPerTrigger": 2**63 - 1}
    unlimited = Pair(both, tmp_path / "huge", {**of(a, topic), **huge})
    for pair in (limited, unlimited):
        pair.run()
    assert limited.batches() == [expected[:5], expected[5:10], expected[10:]]
    assert unlimited.batches() == [expected[5:]]


def test_a_limit_is_shared_by_backlog_and_each_partition_is_in_each_batch(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path
) -> None:
    topic = fresh_name("shares")
    a.create_topic(topic, partitions=3)
    for partition, count in enumerate((101, 11, 1)):
        write(a, topic, *[f"{partition}-{n}" for n in range(count)], partition=partition)
    pair = Pair(both, tmp_path, of(a, topic, maxOffsetsPerTrigger=10))
    pair.run()
    assert len(pair.values()) == 113
    for stream in pair.both:
        sizes = [len(batch) for _, batch in sorted(stream.batches.items())]
        assert sizes[:10] == [10] * 10
        shares = [
            {part: sum(value[0] == part for (value,) in batch) for part in "012"} for batch in stream.batches.values()
        ]
        assert shares[0]["0"] > shares[0]["1"] >= shares[0]["2"] == 1
    once = Stream(both, tmp_path / "once", OURS, of(a, topic, maxOffsetsPerTrigger=10))
    once.run(once=True)
    assert [len(batch) for batch in once.batches.values()] == [113]


@pytest.mark.parametrize("reuse", ["true", "false"], ids=["scanned once", "scanned twice"])
def test_a_join_with_itself_logs_the_same_offsets_and_counts_the_same_rows(
    both: SparkSession, a: KafkaCluster, topic: str, tmp_path: Path, reuse: str
) -> None:
    def joined(rows: DataFrame) -> DataFrame:
        number = "cast(cast(value AS string) AS int)"
        values = rows.selectExpr(f"{number} AS value", f"{number} % 5 AS key")
        return values.join(values, "key").toDF("key", "left", "right")

    write(a, topic, 1, 2, 6, 3)
    pair = Pair(both, tmp_path, of(a, topic), joined)
    with configured(both, spark__sql__exchange__reuse=reuse, spark__sql__shuffle__partitions="2"):
        pair.run()
    logged, counted = set(), set()
    for stream in pair.both:
        assert stream.rows() == [(1, 1, 1), (1, 1, 6), (1, 6, 1), (1, 6, 6), (2, 2, 2), (3, 3, 3)]
        logged.add(len((stream.checkpoint / "offsets" / "0").read_text().splitlines()))
        counted.add(sum(one.numInputRows for one in stream.query.recentProgress))
    assert len(logged) == 1, "offsets"
    assert len(counted) == 1, "rows"


def test_a_batch_has_at_least_as_many_tasks_as_asked_for(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path
) -> None:
    topic = fresh_name("tasks")
    a.create_topic(topic, partitions=3)
    expected = [value for p, n in enumerate((10, 10, 1)) for value in write(a, topic, *range(n), partition=p)]
    pair = Pair(both, tmp_path, of(a, topic, minPartitions=6))
    seen: list[int] = []
    for stream in pair.both:
        stream.before = lambda batch, _: seen.append(batch.rdd.getNumPartitions())
        stream.run()
    assert pair.values() == sorted(expected)
    assert len(seen) == 2
    assert min(seen) >= 6


def test_windows_by_the_records_times_are_the_same(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path
) -> None:
    topic = fresh_name("windows")
    timed(a, topic)

    def counted(rows: DataFrame) -> DataFrame:
        late = rows.withWatermark("timestamp", "10 seconds")
        return late.groupBy(window("timestamp", "5 seconds")).count().select(col("window.start").alias("at"), "count")

    pair = Pair(both, tmp_path, of(a, topic), counted)
    with configured(both, spark__sql__shuffle__partitions="2"):
        pair.run()
    assert pair.ours.rows() == pair.sparks.rows()
    assert [count for _, count in pair.ours.rows()] == [10, 10], "the last window is open"


def test_a_batch_that_fails_again_and_again_does_so_with_its_own_error_though_partitions_came(
    both: SparkSession, a: KafkaCluster, topic: str, tmp_path: Path
) -> None:
    expected = write(a, topic, *range(1, 8))

    def fail(_: DataFrame, __: int) -> None:
        raise ValueError("error for 7")

    pair = Pair(both, tmp_path, of(a, topic))
    for more in (2, 3):
        for stream in pair.both:
            stream.before = fail
            stream.begin()
            assert "error for 7" in stream.failure()
        a.add_partitions(topic, more)
    for stream in pair.both:
        stream.before = lambda _, __: None
        stream.run()
    assert pair.batches()[0] == expected


def test_rows_without_headers_go_on_in_a_state_that_sparks_own_source_wrote(
    both: SparkSession, a: KafkaCluster, topic: str, tmp_path: Path
) -> None:
    def distinct(rows: DataFrame) -> DataFrame:
        return rows.dropDuplicates().selectExpr("cast(value AS string) AS value")

    def produce(*values: str) -> None:
        a.produce(topic, [Record(None, value, headers=(("a", b"b"), ("c", b"d"))) for value in values])

    with configured(both, spark__sql__shuffle__partitions="2"):
        stream = Stream(both, tmp_path, SPARKS, of(a, topic), distinct)
        produce("1", "2")
        stream.run()
        stream.source = OURS
        produce("3")
        stream.run()
    assert stream.values() == ["1", "2", "3"]


def test_how_far_behind_it_is_has_the_names_of_sparks_own_source(
    both: SparkSession, a: KafkaCluster, topic: str, tmp_path: Path
) -> None:
    write(a, topic, *range(5))
    names = [f"{one}OffsetsBehindLatest" for one in ("min", "max", "avg")]
    limited = Pair(both, tmp_path / "limited", of(a, topic, maxOffsetsPerTrigger=1))
    free = Pair(both, tmp_path / "free", of(a, topic))
    for pair in (limited, free):
        pair.run()
        for stream in pair.both:
            seen = [dict(one.sources[0].metrics) for one in stream.query.recentProgress]
            behind = [[float(one[name]) for name in names] for one in seen if set(names) <= set(one)]
            assert behind[-1] == [0, 0, 0]
            assert any(min(figures) > 0 for figures in behind) == (pair is limited)
