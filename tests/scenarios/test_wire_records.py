"""Strange records: each comes with its own offset, key, value and headers, read as a stream and as a batch."""

import time
from collections.abc import Callable, Iterable

import pytest
from dynamic_kafka import DynamicKafkaSourceBuilder
from pyspark.sql import Row
from pyspark.sql.functions import unix_micros

from tests.cluster import KafkaCluster, Record, eventually
from tests.scenarios.conftest import Name
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.queries import Queries, value_of
from tests.scenarios.scene import Scene

pytestmark = pytest.mark.wire

Builder = Callable[[], DynamicKafkaSourceBuilder]
Headers = tuple[tuple[str, bytes | None], ...]
# Partition, offset, key, value and headers of one record; a record without headers has none, not an empty list.
Fact = tuple[int, int, bytes | None, bytes | None, Headers | None]


def fact(partition: int, offset: int, record: Record) -> Fact:
    """What a row of this record must say."""
    return partition, offset, as_bytes(record.key), as_bytes(record.value), record.headers or None


def as_bytes(text: bytes | str | None) -> bytes | None:
    return text.encode() if isinstance(text, str) else text


def fact_of(row: Row) -> Fact:
    headers = tuple((h["key"], raw(h["value"])) for h in row["headers"]) if row["headers"] is not None else None
    return row["partition"], row["offset"], raw(row["key"]), raw(row["value"]), headers


def raw(value: bytearray | None) -> bytes | None:
    return None if value is None else bytes(value)


@pytest.fixture
def topic(a: KafkaCluster, program: ProgramListing, fresh_name: Name) -> Callable[..., str]:
    """Creates a topic on a, as many partitions and with the settings given, which is the stream `strange`."""

    def create(partitions: int = 1, **config: str) -> str:
        name = fresh_name("strange")
        a.create_topic(name, partitions, {key.replace("_", "."): value for key, value in config.items()})
        program.publish("strange", {"a": on(a, name)})
        return name

    return create


@pytest.fixture
def strange(scene: Scene) -> Builder:
    """A builder of a read of that stream that stops at open transactions."""
    return lambda: scene.read("strange").kafka_property("isolation.level", "read_committed")


@pytest.fixture
def assert_read(queries: Queries) -> Callable[[Builder, Iterable[Fact]], None]:
    """Asserts that a stream and a batch read give just these records, each once and in order of its partition."""

    def check(builder: Builder, expected: Iterable[Fact]) -> None:
        wanted = sorted(expected, key=lambda it: it[:2])
        batch = builder().bounded().load().collect()
        assert sorted(map(fact_of, batch), key=lambda it: it[:2]) == wanted
        running = queries.start(builder().load(), availableNow=True)
        running.await_end()
        rows = running.rows()
        for partition in {row["partition"] for row in rows}:
            offsets = [row["offset"] for row in rows if row["partition"] == partition]
            assert offsets == sorted(offsets), partition
        assert sorted(map(fact_of, rows), key=lambda it: it[:2]) == wanted

    return check


AssertRead = Callable[[Builder, Iterable[Fact]], None]


def test_records_larger_than_all_that_is_fetched_at_a_time_come_whole_among_small_ones(
    a: KafkaCluster, topic: Callable[..., str], strange: Builder, assert_read: AssertRead
) -> None:
    name = topic(2, max_message_bytes="16000000")
    large = [bytes([number]) * 5_000_000 for number in (1, 2, 3)]
    values = [b"small", large[0], large[1], b"small too", large[2], b"last"]
    records = [Record(b"key", value, partition=0) for value in values]
    # Each by itself: a batch of records is what brokers give.
    for record in records:
        a.produce(name, [record], client={"message.max.bytes": 16_000_000})
    beside = [Record(None, str(number), partition=1) for number in range(50)]
    a.produce(name, beside)

    def tight() -> DynamicKafkaSourceBuilder:
        limits = strange().kafka_property("max.partition.fetch.bytes", "65536").max_offsets_per_trigger(20)
        return limits.kafka_property("fetch.max.bytes", "131072").option("maxFetchBytesPerTask", 131_072)

    placed = [fact(0, number, record) for number, record in enumerate(records)]
    assert_read(tight, placed + [fact(1, number, record) for number, record in enumerate(beside)])


def test_headers_of_any_number_and_shape_and_nulls_come_as_they_were_written(
    a: KafkaCluster, topic: Callable[..., str], strange: Builder, assert_read: AssertRead
) -> None:
    name = topic()
    many: Headers = tuple((f"h{number % 7}", bytes([number % 256]) * (number % 3)) for number in range(1000))
    records = [
        Record(None, "many", headers=many),
        Record("key", None, headers=(("", None), ("", b""), ("", None))),
        Record(None, None),
        Record("", ""),
        Record("key", "x", headers=(("ключ ✓", "значение".encode()), ("nul", b"\x00"))),
        *(Record(str(number), None, headers=many[:number]) for number in range(20)),
    ]
    a.produce(name, records)
    assert_read(strange, [fact(0, number, record) for number, record in enumerate(records)])
    without = strange().bounded().load().select("offset", "value").orderBy("offset").collect()
    assert [raw(row["value"]) for row in without] == [as_bytes(record.value) for record in records]


def test_empty_partitions_and_topics_among_full_ones_hold_nobody_up(
    a: KafkaCluster,
    topic: Callable[..., str],
    strange: Builder,
    assert_read: AssertRead,
    program: ProgramListing,
    fresh_name: Name,
) -> None:
    name, empty = topic(9), fresh_name("empty")
    a.create_topic(empty, partitions=3)
    program.publish("strange", {"a": on(a, name, empty)})
    expected = []
    for partition in (1, 4, 8):
        records = [Record(None, f"{partition}.{number}", partition=partition) for number in range(partition * 3)]
        a.produce(name, records)
        expected += [fact(partition, number, record) for number, record in enumerate(records)]
    assert_read(lambda: strange().max_offsets_per_trigger(11).min_partitions(20), expected)


@pytest.fixture
def compacted(a: KafkaCluster, topic: Callable[..., str], strange: Builder) -> list[Fact]:
    """The records that must survive of a topic that is compacted, with gaps of more than a thousand offsets between."""
    config = {"segment.ms": "100", "min.cleanable.dirty.ratio": "0.01", "max.compaction.lag.ms": "100"}
    name = topic(1, **{"cleanup.policy": "compact", **config})
    kept, offset = [], 0
    for part in ("first", "middle", "last"):
        records = [Record(f"{part} {number}", part) for number in range(5)]
        a.produce(name, records)
        kept += [fact(0, offset + number, record) for number, record in enumerate(records)]
        # Each write begins a segment, since the one before is old enough by then; what is closed is cleaned.
        offset += 5 + a.produce(name, [("same", "passing")] * 1200)

    def left() -> int:
        a.produce(name, [("same", "passing")])
        return strange().bounded().load().count()

    eventually("most is cleaned away", left, until=lambda count: count < 100, within=30)
    return kept


def test_ranges_that_begin_end_or_lie_in_a_gap_of_a_compacted_topic_are_read_to_their_end(
    a: KafkaCluster, compacted: list[Fact], program: ProgramListing, strange: Builder, queries: Queries
) -> None:
    (stream,) = program.service.all_streams()
    (name,) = stream.clusters["a"].topics
    ranges = {(0, 2415): 15, (100, 1100): 0, (3, 700): 2, (700, 1207): 2, (1205, 1206): 1, (2000, 2409): 0}
    for (start, end), count in ranges.items():
        builder = strange().starting_offsets({"a": {name: {"0": start}}})
        for pieces in (builder, builder.max_records_per_partition(100)):
            rows = pieces.bounded({"a": {name: {"0": end}}}).load().collect()
            expected = [it for it in compacted if start <= it[1] < end]
            assert len(expected) == count
            assert sorted(map(fact_of, rows)) == expected, (start, end)
    running = queries.start(strange().max_offsets_per_trigger(400).load(), availableNow=True)
    running.await_end()
    seen = [fact_of(row) for row in running.rows()]
    assert [it for it in seen if it[2] != b"same"] == compacted
    assert len({it[1] for it in seen}) == len(seen)
    assert [] in running.batches.values(), "no batch lay in a gap"
    assert running.offset()["clusters"]["a"]["topics"][name]["partitions"]["0"][1] == a.end_offsets(name)[0]


def test_markers_and_aborted_records_come_never_though_they_fill_batches(
    a: KafkaCluster, topic: Callable[..., str], strange: Builder, assert_read: AssertRead
) -> None:
    name = topic()
    written = [("abort", 4), ("commit", 3), ("commit", 1), ("abort", 5), ("commit", 2), ("abort", 1)]
    kept, offset = [], 0
    for number, (end, count) in enumerate(written):
        records = [Record(str(number), end) for _ in range(count)]
        a.produce(name, records, transaction=end)  # type: ignore[arg-type]
        if end == "commit":
            kept += [fact(0, offset + place, record) for place, record in enumerate(records)]
        offset += count + 1
    # The broker writes the last marker after it has confirmed the end of the transaction.
    eventually(
        "the last marker is there", lambda: a.end_offsets(name), until=lambda ends: ends == {0: offset}, within=20
    )

    assert_read(strange, kept)
    assert_read(lambda: strange().max_offsets_per_trigger(3).max_records_per_partition(2), kept)
    for until in (3, 5, 7, 9, 11):
        rows = strange().bounded({"a": {name: {"0": until}}}).load().collect()
        assert sorted(map(fact_of, rows)) == [it for it in kept if it[1] < until], until


def test_each_codec_is_read(
    a: KafkaCluster, topic: Callable[..., str], strange: Builder, assert_read: AssertRead
) -> None:
    codecs = ["none", "gzip", "snappy", "lz4", "zstd"]
    name = topic(len(codecs))
    expected = []
    for partition, codec in enumerate(codecs):
        records = [
            Record(str(number), f"{codec} " * 100, headers=((codec, b"x" * 50),), partition=partition)
            for number in range(100)
        ]
        a.produce(name, records, client={"compression.type": codec, "linger.ms": 50})
        expected += [fact(partition, number, record) for number, record in enumerate(records)]
    assert_read(strange, expected)


def test_times_are_what_the_broker_or_the_producer_said_however_strange(
    a: KafkaCluster, topic: Callable[..., str], strange: Builder
) -> None:
    largest = 2**63 - 1
    # -1 is a record without a time.
    sent = [-1, -86_400_000, 1, 1_700_000_000_123, 253_402_300_800_000, largest // 1000, largest // 1000 + 1, 2**62]
    columns = "offset", unix_micros("timestamp").alias("micros"), "timestampType"
    name = topic(message_timestamp_after_max_ms=str(largest), retention_ms="-1")
    for ms in sent:
        a.produce(name, [Record(None, "x", timestamp_ms=ms)])
    rows = strange().bounded().load().select(*columns).orderBy("offset").collect()
    assert [(row["micros"], row["timestampType"]) for row in rows] == [(min(ms * 1000, largest), 0) for ms in sent]
    name = topic(message_timestamp_type="LogAppendTime")
    before = int(time.time() * 1000)
    a.produce(name, [Record(None, "x", timestamp_ms=1)])
    (row,) = strange().bounded().load().select(*columns).collect()
    assert row["timestampType"] == 1
    assert before * 1000 <= row["micros"] <= time.time() * 1_000_000
    later = strange().starting_offsets({"timestamp": before}).bounded().load()
    assert [value_of(row) for row in later.collect()] == ["x"]
