"""One cluster's trouble is its own, and nothing of the source is left when it is not needed."""

import time
from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.conftest import Source
from tests.scenarios.driver_jvm import OF_THE_JVM, DriverJvm
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, Running

pytestmark = pytest.mark.wire

Name = Callable[[str], str]


@pytest.fixture
def topic(a: KafkaCluster, b: KafkaCluster, topic: str, program: ProgramListing) -> str:
    """The usual one, which is the stream `orders`."""
    program.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    return topic


@pytest.fixture
def jvm(spark: SparkSession) -> DriverJvm:
    return DriverJvm(spark)


def begun(running: Running, a: KafkaCluster, b: KafkaCluster, topic: str) -> list[str]:
    expected = write(a, topic, "a1") + write(b, topic, "b1")
    running.await_values(expected)
    return expected


def test_a_cluster_that_is_skipped_comes_back_where_it_was(
    a: KafkaCluster, b: KafkaCluster, topic: str, program: ProgramListing, queries: Queries, source: Source
) -> None:
    limits = source(program.service, "orders").cluster_request_timeout("1s").cluster_read_timeout("5s")
    running = queries.start(limits.unavailable_cluster_policy("skip").load())
    expected = begun(running, a, b, topic)
    b.pause()
    running.await_state("b", "unavailable")
    running.await_metric("unavailableClusters", lambda seen: seen == "1")
    expected += write(a, topic, "a2")
    running.await_values(expected)
    b.heal()
    expected += write(b, topic, "b2")
    running.await_values(expected)
    running.await_state("b", "reading")


def test_available_now_ends_though_a_cluster_is_out_of_reach(
    a: KafkaCluster, b: KafkaCluster, topic: str, program: ProgramListing, queries: Queries, source: Source
) -> None:
    expected = write(a, topic, "a1")
    write(b, topic, "b1")
    b.kill()
    limits = source(program.service, "orders").cluster_request_timeout("5s").unavailable_cluster_policy("skip")
    running = queries.start(limits.load(), availableNow=True)
    running.await_end()
    running.await_values(expected)
    assert running.metrics()["cluster.b.state"] == "pending"
    b.heal()
    again = queries.start(limits.load(), after=running, availableNow=True)
    again.await_end()
    again.await_values([*expected, "b1"])


def test_a_broker_that_restarts_is_survived(
    a: KafkaCluster, b: KafkaCluster, topic: str, program: ProgramListing, queries: Queries, source: Source
) -> None:
    running = queries.start(source(program.service, "orders").cluster_request_timeout("30s").load())
    expected = begun(running, a, b, topic)
    b.restart()
    expected += write(b, topic, "b2")
    running.await_values(expected)


def test_an_untouched_cluster_keeps_its_connections_when_another_comes_and_goes(
    a: KafkaCluster,
    b: KafkaCluster,
    topic: str,
    program: ProgramListing,
    queries: Queries,
    source: Source,
    jvm: DriverJvm,
) -> None:
    program.publish("orders", {"a": on(a, topic)})
    # Of queries that have ended, whose consumers are idle and whose clients may still close.
    idle, earlier, closing = jvm.connections(a), jvm.connections(b), set(jvm.admin_threads())
    rows = source(program.service, "orders").removed_cluster_policy("stop").consumer_idle_timeout("6s").load()
    running = queries.start(rows)
    expected: list[str] = []
    for turn in range(5):
        # Batch after batch, until all connections are there that reading takes.
        expected += write(a, topic, f"a{turn}")
        running.await_values(expected)
    kept, admins = jvm.connections(a) - idle, set(jvm.admin_threads()) - closing
    assert kept
    assert not jvm.connections(b) - earlier
    for turn in range(2):
        program.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
        expected += write(a, topic, f"a with b {turn}") + write(b, topic, f"b {turn}")
        running.await_values(expected)
        assert jvm.connections(b) - earlier
        program.publish("orders", {"a": on(a, topic)})

        def left(expected: list[str] = expected) -> set[int]:
            # Triggers go on, which keeps the consumers of a in use.
            expected.extend(write(a, topic, f"a alone {len(expected)}"))
            running.await_values(expected)
            return jvm.connections(b) - earlier

        eventually("all connections to b are closed", left, until=lambda seen: not seen, within=40)
    assert kept <= jvm.connections(a)
    assert set(jvm.admin_threads()) - closing == admins


def test_a_cluster_that_has_reached_its_ends_is_let_go_and_may_be_switched_off(
    a: KafkaCluster,
    b: KafkaCluster,
    topic: str,
    program: ProgramListing,
    queries: Queries,
    source: Source,
    jvm: DriverJvm,
) -> None:
    expected = write(b, topic, "b1") + write(a, topic, "a1")
    earlier = jvm.connections(b)
    program.publish("orders", {"a": on(a, topic), "b": on(b, topic, ending="latest")})
    # A listed cluster out of reach would fail this query.
    running = queries.start(source(program.service, "orders").load())
    running.await_values(expected)
    running.await_state("b", "finished")
    eventually("no connection to b", lambda: jvm.connections(b) - earlier, until=lambda seen: not seen, within=40)
    b.kill()
    expected += write(a, topic, "a2")
    running.await_values(expected)
    assert running.metrics()["cluster.b.state"] == "finished"


def test_a_cluster_that_is_through_is_let_go_though_the_next_trigger_is_an_hour_away(
    a: KafkaCluster,
    b: KafkaCluster,
    topic: str,
    program: ProgramListing,
    queries: Queries,
    source: Source,
    jvm: DriverJvm,
) -> None:
    expected = write(b, topic, "b1") + write(a, topic, "a1")
    _await_none_of_queries(jvm)
    before = len(jvm.admin_threads())
    program.publish("orders", {"a": on(a, topic), "b": on(b, topic, ending="latest")})
    running = queries.start(source(program.service, "orders").load(), processingTime="1 hour")
    running.await_values(expected)
    running.is_not_looked_at_again("its next trigger is an hour away")
    # That of a stays.
    eventually("one client is left", lambda: len(jvm.admin_threads()) - before, until=lambda n: n == 1, within=40)


def test_nothing_of_the_source_is_left_on_the_driver_after_the_stop_though_a_cluster_hangs(
    a: KafkaCluster,
    b: KafkaCluster,
    topic: str,
    program: ProgramListing,
    queries: Queries,
    source: Source,
    jvm: DriverJvm,
) -> None:
    _await_none_of_queries(jvm)
    # What waits for an answer would wait for longer than this test does.
    limits = source(program.service, "orders").cluster_request_timeout("60s").cluster_read_timeout("60s")
    running = queries.start(limits.unavailable_cluster_policy("skip").load())
    begun(running, a, b, topic)
    assert _of_queries(jvm.our_threads())
    b.pause()
    began = time.monotonic()
    running.stop()
    eventually("no thread is left", jvm.our_threads, until=lambda seen: not _of_queries(seen), within=25)
    assert time.monotonic() - began < 25


def _await_none_of_queries(jvm: DriverJvm) -> None:
    eventually("earlier queries are gone", jvm.our_threads, until=lambda seen: not _of_queries(seen), within=40)


def _of_queries(threads: list[str]) -> list[str]:
    return [name for name in threads if not name.startswith(OF_THE_JVM)]
