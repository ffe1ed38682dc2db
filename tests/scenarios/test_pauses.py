"""`paused`: positions hold, nothing is read, drained or forgotten, and nothing fails. The moves themselves are recipes,
in test_migrations_pauses.py."""

import itertools
from typing import Any

import pytest
from dynamic_kafka import ClusterMetadata, DynamicKafkaSourceBuilder

from tests.cluster import KafkaCluster, Record, eventually
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import FileListing, ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, Running, value_of
from tests.scenarios.scene import Scene

# A record's time long ago, ms, and one a day later.
DAY = 1_767_225_600_000
NEXT_DAY = DAY + 24 * 3600 * 1000


class Orders:
    """The stream `orders`, which is one topic of one partition on a and on b, and all that is written to it."""

    def __init__(self, topic: str, a: KafkaCluster, b: KafkaCluster, listing: ProgramListing, source: Source) -> None:
        self.topic, self.a, self.b, self.listing = topic, a, b, listing
        self.values: list[str] = []
        self._source = source

    def lists(self, **others: ClusterMetadata) -> None:
        """a and b as they should be, unless something else is given."""
        self.listing.publish("orders", {"a": on(self.a, self.topic), "b": on(self.b, self.topic), **others})

    def pauses(self, **others: ClusterMetadata) -> None:
        self.lists(b=on(self.b, self.topic, paused=True), **others)

    def writes(self, cluster: KafkaCluster, *values: str) -> list[str]:
        """Returns all that was written, to either of them, in this test."""
        self.values += write(cluster, self.topic, *values)
        return list(self.values)

    def of(self, prefix: str) -> list[str]:
        return [value for value in self.values if value.startswith(prefix)]

    def read(self) -> DynamicKafkaSourceBuilder:
        return self._source(self.listing.service, "orders").cluster_request_timeout("3s")


@pytest.fixture
def orders(program: ProgramListing, topic: str, a: KafkaCluster, b: KafkaCluster, source: Source) -> Orders:
    return Orders(topic, a, b, program, source)


def rests(running: Running) -> None:
    """b is paused, and the batch that was under way has ended."""
    running.await_state("b", "paused")
    running.await_answers()


def starts_and_pauses(orders: Orders, queries: Queries, **others: ClusterMetadata) -> Running:
    """A query that has read `a1` and `b1`, and to which b is paused, with `b2` and `b3` to be read."""
    orders.lists(**others)
    running = queries.start(orders.read().removed_cluster_retention("1s").load())
    orders.writes(orders.a, "a1")
    running.await_values(orders.writes(orders.b, "b1"))
    orders.pauses(**others)
    rests(running)
    orders.writes(orders.b, "b2", "b3")
    running.await_metric("cluster.b.pendingRecords", lambda seen: seen == "2")
    return running


def test_what_is_paused_holds_counts_in_the_lag_and_fails_nothing_even_dead(orders: Orders, queries: Queries) -> None:
    running = starts_and_pauses(orders, queries)
    assert running.metrics()["pendingRecords"] == "2"
    orders.b.kill()
    orders.writes(orders.a, "a2")
    running.await_values([*orders.of("a"), "b1"])
    running.await_answers()
    # Nor does it fail a start.
    running.stop_between_batches()
    running = queries.start(orders.read().load(), after=running)
    orders.writes(orders.a, "a3")
    running.await_values([*orders.of("a"), "b1"])
    orders.b.start()
    running.await_metric("cluster.b.cause", lambda seen: seen is None)
    orders.lists()
    running.await_values(orders.values)
    running.await_state("b", "reading")


def test_what_is_removed_and_paused_drains_once_the_pause_is_lifted(orders: Orders, queries: Queries) -> None:
    running = starts_and_pauses(orders, queries)
    orders.lists(b=on(orders.b, paused=True))
    orders.writes(orders.a, "a2")
    running.await_values([*orders.of("a"), "b1"])
    rests(running)
    orders.lists(b=on(orders.b))
    running.await_values(orders.values)
    assert running.metrics()["abandonedRecords"] == "0"


def test_what_is_paused_is_not_forgotten_when_its_retention_ends(
    orders: Orders, c: KafkaCluster, queries: Queries
) -> None:
    c.create_topic(orders.topic)
    running = starts_and_pauses(orders, queries, c=on(c, orders.topic))
    # Both are removed at once; c shows when the retention is over.
    orders.lists(b=on(orders.b, paused=True))
    number = itertools.count(2)

    def held() -> set[str]:
        # What is forgotten goes with a batch.
        orders.writes(orders.a, f"a{next(number)}")
        return set(running.offset()["clusters"])

    eventually("c is forgotten", held, until=lambda seen: "c" not in seen, within=40)
    running.await_values([*orders.of("a"), "b1"])
    orders.lists()
    running.await_values(orders.values)


def test_an_uncommitted_batch_reads_what_was_paused_since(orders: Orders, queries: Queries) -> None:
    orders.lists()
    orders.writes(orders.a, "a1")
    orders.writes(orders.b, "b1")
    running = queries.start(orders.read().load(), availableNow=True)
    running.await_end()
    batch = running.leave_over()
    running.batches.pop(batch)
    before = orders.writes(orders.a, "a2")
    orders.writes(orders.b, "b2")
    orders.pauses()
    running = queries.start(orders.read().load(), after=running)
    running.await_values(before)
    rests(running)
    running.await_values(before)
    orders.lists()
    running.await_values(orders.values)


def test_a_batch_read_takes_no_notice(orders: Orders) -> None:
    orders.pauses()
    orders.writes(orders.a, "a1")
    orders.writes(orders.b, "b1")
    assert sorted(map(value_of, orders.read().bounded().load().collect())) == ["a1", "b1"]


def test_available_now_leaves_out_what_is_paused_and_ends(orders: Orders, queries: Queries) -> None:
    rows = orders.read().load()

    def runs(after: Running | None = None) -> Running:
        running = queries.start(rows, after=after, availableNow=True)
        running.await_end()
        return running

    orders.lists()
    orders.writes(orders.a, "a1")
    first = orders.writes(orders.b, "b1")
    running = runs()
    assert sorted(running.values()) == sorted(first)
    orders.pauses()
    orders.writes(orders.a, "a2")
    orders.writes(orders.b, "b2")
    running = runs(after=running)
    assert sorted(running.values()) == ["a1", "a2", "b1"]
    orders.lists()
    assert sorted(runs(after=running).values()) == sorted(orders.values)


def test_what_is_paused_at_the_first_start_begins_as_of_its_first_listing(orders: Orders, queries: Queries) -> None:
    left_out = orders.writes(orders.b, "before the first listing")
    orders.pauses()
    running = queries.start(orders.read().starting_offsets("latest").load())
    rests(running)
    orders.writes(orders.b, "b2")
    running.await_answers()
    assert running.values() == []
    orders.lists()
    running.await_values(set(orders.values) - set(left_out))


def test_what_is_paused_holds_nobody_back_under_a_skew(orders: Orders, queries: Queries) -> None:

    def writes_at(cluster: KafkaCluster, time: int, value: str) -> None:
        cluster.produce(orders.topic, [Record(None, value, timestamp_ms=time)])
        orders.values.append(value)

    orders.lists()
    running = queries.start(orders.read().max_timestamp_skew("10m").max_skew_wait("1h").load())
    running.await_state("b", "reading")
    orders.pauses()
    rests(running)
    writes_at(orders.b, DAY, "b of the day before")
    running.await_metric("cluster.b.pendingRecords", lambda seen: seen == "1")
    writes_at(orders.a, NEXT_DAY, "a1")
    writes_at(orders.a, NEXT_DAY + 1, "a2")
    running.await_values(orders.of("a"))
    orders.lists()
    running.await_values(orders.values)


def test_what_one_stream_pauses_of_a_cluster_is_paused(
    a: KafkaCluster, file: FileListing, filed: Scene, fresh_name: Name
) -> None:
    one, other, third = (fresh_name(name) for name in ("one", "other", "third"))
    for topic in (one, other, third):
        a.create_topic(topic)

    def lists(**paused: Any) -> None:
        file.publish_all({"one": {"a": on(a, one, third, **paused)}, "other": {"a": on(a, other)}})

    lists()
    running = filed.start(filed.read("one", "other").load())
    expected = write(a, one, "1") + write(a, other, "2") + write(a, third, "3")
    running.await_values(expected)
    lists(paused=True)
    running.await_state("a", "paused")
    running.await_answers()
    held, going_on = write(a, third, "4"), write(a, one, "5") + write(a, other, "6")
    running.await_metric("pendingRecords", lambda seen: seen == "3")
    running.await_values(expected)
    lists(paused=[third])
    running.await_values(expected := expected + going_on)
    running.await_metric("pendingRecords", lambda seen: seen == "1")
    lists()
    running.await_values(expected + held)


def test_what_takes_over_while_it_is_paused_begins_where_the_old_one_was_held(orders: Orders, queries: Queries) -> None:
    orders.listing.publish("orders", {"old": on(orders.a, orders.topic)})
    running = queries.start(orders.read().load())
    read = orders.writes(orders.a, "1")
    running.await_values(read)
    orders.listing.publish("orders", {"new": on(orders.a, orders.topic, continues="old", paused=True)})
    running.await_state("new", "paused")
    running.await_answers()
    orders.writes(orders.a, "2")
    running.await_metric("pendingRecords", lambda seen: seen == "1")
    running.await_values(read)
    orders.listing.publish("orders", {"new": on(orders.a, orders.topic, continues="old")})
    running.await_values(orders.values)
