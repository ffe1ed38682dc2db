"""`paused`: positions hold, nothing is read, drained or forgotten, and nothing fails. The moves themselves are recipes,
in test_migrations_pauses.py."""

import pytest
from dynamic_kafka import ClusterMetadata, DynamicKafkaSourceBuilder

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Source
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, Running, value_of


class Orders:
    """The stream `orders`, which is one topic of one partition on a and on b, and all that is written to it."""

    def __init__(self, topic: str, a: KafkaCluster, b: KafkaCluster, listing: ProgramListing, source: Source) -> None:
        self.topic, self.a, self.b, self.listing = topic, a, b, listing
        self.values: list[str] = []
        self._source = source

    def lists(self, **others: ClusterMetadata) -> None:
        """a and b as they should be, unless something else is given."""
        self.listing.publish("orders", {"a": on(self.a, self.topic), "b": on(self.b, self.topic), **others})

    def pauses(self) -> None:
        self.lists(b=on(self.b, self.topic, paused=True))

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


def starts_and_pauses(orders: Orders, queries: Queries) -> Running:
    """A query that has read `a1` and `b1`, and to which b is paused, with `b2` and `b3` to be read."""
    orders.lists()
    running = queries.start(orders.read().load())
    orders.writes(orders.a, "a1")
    running.await_values(orders.writes(orders.b, "b1"))
    orders.pauses()
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
