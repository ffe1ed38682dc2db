"""One cluster's trouble is its own, and nothing of the source is left when it is not needed."""

import time

import pytest

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.driver_jvm import OF_THE_JVM, DriverJvm
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Running
from tests.scenarios.scene import Scene

pytestmark = pytest.mark.wire


@pytest.fixture
def topic(a: KafkaCluster, b: KafkaCluster, topic: str, program: ProgramListing) -> str:
    """The usual one, which is the stream `orders`."""
    program.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    return topic


def begun(running: Running, a: KafkaCluster, b: KafkaCluster, topic: str) -> list[str]:
    expected = write(a, topic, "a1") + write(b, topic, "b1")
    running.await_values(expected)
    return expected


def test_available_now_ends_though_a_cluster_is_out_of_reach(
    a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene
) -> None:
    expected = write(a, topic, "a1")
    write(b, topic, "b1")
    b.kill()
    limits = scene.read("orders").cluster_request_timeout("5s").unavailable_cluster_policy("skip")
    running = scene.start(limits.load(), availableNow=True)
    running.await_end()
    running.await_values(expected)
    assert running.metrics()["cluster.b.state"] == "pending"
    b.heal()
    again = scene.start(limits.load(), after=running, availableNow=True)
    again.await_end()
    again.await_values([*expected, "b1"])


def test_an_untouched_cluster_keeps_its_connections_when_another_comes_and_goes(
    a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene, jvm: DriverJvm
) -> None:
    scene.publish("orders", {"a": on(a, topic)})
    # Of queries that have ended, whose consumers are idle and whose clients may still close.
    idle, earlier, closing = jvm.connections(a), jvm.connections(b), set(jvm.admin_threads())
    rows = scene.read("orders").removed_cluster_policy("stop").consumer_idle_timeout("6s").load()
    running = scene.start(rows)
    expected: list[str] = []
    for turn in range(5):
        # Batch after batch, until all connections are there that reading takes.
        expected += write(a, topic, f"a{turn}")
        running.await_values(expected)
    kept, admins = jvm.connections(a) - idle, set(jvm.admin_threads()) - closing
    assert kept
    assert not jvm.connections(b) - earlier
    for turn in range(2):
        scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
        expected += write(a, topic, f"a with b {turn}") + write(b, topic, f"b {turn}")
        running.await_values(expected)
        assert jvm.connections(b) - earlier
        scene.publish("orders", {"a": on(a, topic)})

        def left(expected: list[str] = expected) -> set[int]:
            # Triggers go on, which keeps the consumers of a in use.
            expected.extend(write(a, topic, f"a alone {len(expected)}"))
            running.await_values(expected)
            return jvm.connections(b) - earlier

        eventually("all connections to b are closed", left, until=lambda seen: not seen, within=40)
    assert kept <= jvm.connections(a)
    assert set(jvm.admin_threads()) - closing == admins


def test_a_cluster_that_has_reached_its_ends_is_let_go_and_may_be_switched_off(
    a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene, jvm: DriverJvm
) -> None:
    expected = write(b, topic, "b1") + write(a, topic, "a1")
    earlier = jvm.connections(b)
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic, ending="latest")})
    # A listed cluster out of reach would fail this query.
    running = scene.start(scene.read("orders").load())
    running.await_values(expected)
    running.await_state("b", "finished")
    eventually("no connection to b", lambda: jvm.connections(b) - earlier, until=lambda seen: not seen, within=40)
    b.kill()
    expected += write(a, topic, "a2")
    running.await_values(expected)
    assert running.metrics()["cluster.b.state"] == "finished"


def test_a_cluster_that_is_through_is_let_go_though_the_next_trigger_is_an_hour_away(
    a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene, jvm: DriverJvm
) -> None:
    expected = write(b, topic, "b1") + write(a, topic, "a1")
    _await_none_of_queries(jvm)
    before = len(jvm.admin_threads())
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic, ending="latest")})
    running = scene.start(scene.read("orders").load(), processingTime="1 hour")
    running.await_values(expected)
    running.is_not_looked_at_again("its next trigger is an hour away")
    # That of a stays.
    eventually("one client is left", lambda: len(jvm.admin_threads()) - before, until=lambda n: n == 1, within=40)


def test_nothing_of_the_source_is_left_on_the_driver_after_the_stop_though_a_cluster_hangs(
    a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene, jvm: DriverJvm
) -> None:
    _await_none_of_queries(jvm)
    # What waits for an answer would wait for longer than this test does.
    limits = scene.read("orders").cluster_request_timeout("60s").cluster_read_timeout("60s")
    running = scene.start(limits.unavailable_cluster_policy("skip").load())
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
