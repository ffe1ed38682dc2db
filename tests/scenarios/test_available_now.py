"""A run that ends by itself: with all that was there when it began, and with nothing that came later. `Once` is a run
of one batch."""

import threading
from collections.abc import Callable

import pytest
from dynamic_kafka import KafkaStream
from dynamic_kafka.errors import ClusterUnreachableError
from pyspark.sql import DataFrame

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import ProgramListing, Scripted, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.scene import Scene

Each = dict[str, KafkaCluster]


@pytest.fixture
def topic(a: KafkaCluster, b: KafkaCluster, c: KafkaCluster, program: ProgramListing, fresh_name: Name) -> str:
    """A topic of one partition on a, b and c, which is the stream `orders` on a and b."""
    name = fresh_name("topic")
    for cluster in (a, b, c):
        cluster.create_topic(name)
    program.publish("orders", {"a": on(a, name), "b": on(b, name)})
    return name


class Once:
    """Does something between the first batch of a run and the second."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._act = act
        self.batches = 0

    def __call__(self) -> None:
        self.batches += 1
        if self.batches == 1:
            self._act()


def run(
    queries: Queries | Scene, rows: DataFrame, after: Running | None = None, between: Callable[[], object] | None = None
) -> Running:
    """A whole run."""
    running = queries.start(rows, after=after, between=between, availableNow=True)
    running.await_end()
    return running


@pytest.mark.wire
def test_it_reads_what_was_there_of_every_cluster_also_an_empty_or_removed_one_and_nothing_written_meanwhile(
    a: KafkaCluster, b: KafkaCluster, c: KafkaCluster, topic: str, scene: Scene
) -> None:
    rows = scene.read("orders").max_offsets_per_trigger(4).load()
    expected = write(a, topic, *numbered("a", 3)) + write(b, topic, *numbered("b", 3))
    running = run(scene, rows)
    assert sorted(running.values()) == sorted(expected)
    # b drains, for which it stays listed, and c is empty.
    expected += write(a, topic, *numbered("more a", 4)) + write(b, topic, *numbered("more b", 4))
    scene.publish("orders", {"a": on(a, topic), "b": on(b), "c": on(c, topic)})
    later: list[str] = []

    def meanwhile() -> None:
        later.extend(write(a, topic, "late a") + write(c, topic, "late c"))
        a.add_partitions(topic, 2)
        later.extend(write(a, topic, "new partition", partition=1))

    running = run(scene, rows, running, Once(meanwhile))
    assert sorted(running.values()) == sorted(expected)
    assert running.metrics()["pendingRecords"] == "0"
    running = run(scene, rows, running)
    assert sorted(running.values()) == sorted(expected + later)


def test_an_uncommitted_batch_comes_first_and_a_run_that_was_cut_off_goes_on_where_it_was(
    a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene
) -> None:
    rows = scene.read("orders").max_offsets_per_trigger(4).load()
    expected = write(a, topic, *numbered("a", 6)) + write(b, topic, *numbered("b", 6))

    def fails() -> None:
        raise RuntimeError("the sink is full")

    cut = scene.start(rows, between=fails, availableNow=True)
    with pytest.raises(Exception, match="the sink is full"):
        cut.query.awaitTermination(40)
    first = sorted(cut.rows())
    assert len(first) == 4
    # It would be read as one batch now, if the batch left over did not come first.
    expected += write(a, topic, "a more")
    running = run(scene, scene.read("orders").load(), cut)
    assert sorted(running.batches[0]) == first
    assert sorted(running.values()) == sorted(expected)


@pytest.mark.parametrize("returns", [False, True], ids=["gone", "back"])
def test_a_cluster_lost_during_the_run_is_left_out_under_skip_as_long_as_it_is_away(
    returns: bool, a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene
) -> None:
    limits = scene.read("orders").cluster_request_timeout("3s").unavailable_cluster_policy("skip")
    rows = limits.max_offsets_per_trigger(4).load()
    in_a, in_b = write(a, topic, *numbered("a", 10)), write(b, topic, *numbered("b", 10))
    calls: list[Callable[[], object]] = [b.pause, lambda: None, b.resume if returns else lambda: None]
    running = run(scene, rows, between=lambda: calls.pop(0)() if calls else None)
    seen = running.values()
    assert [value for value in seen if value.startswith("a")] == in_a
    assert [value for value in seen if value.startswith("b")] == (in_b if returns else in_b[:2])
    assert running.metrics()["cluster.b.state"] == ("reading" if returns else "unavailable")
    assert running.metrics()["pendingRecords"] == ("0" if returns else "8")
    b.resume()
    again = run(scene, rows, running)
    assert sorted(again.values()) == sorted(in_a + in_b)


def test_a_cluster_lost_during_the_run_ends_it_under_fail_and_the_next_run_goes_on(
    a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene
) -> None:
    rows = scene.read("orders").cluster_request_timeout("3s").max_offsets_per_trigger(4).load()
    expected = write(a, topic, *numbered("a", 6)) + write(b, topic, *numbered("b", 6))
    running = scene.start(rows, between=Once(b.pause), availableNow=True)
    error = running.await_failure()
    assert isinstance(error, ClusterUnreachableError)
    assert "cluster b" in str(error)
    b.resume()
    assert sorted(run(scene, rows, running).values()) == sorted(expected)


# Much longer than a query waits that goes on without a cluster that falls silent; seconds.
FROZEN = 4.0


def test_the_one_batch_of_once_waits_for_the_answer_of_a_cluster_that_was_frozen_when_it_began_and_ignores_limits(
    a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene
) -> None:
    builder = scene.read("orders").unavailable_cluster_policy("skip")
    rows = builder.max_offsets_per_trigger(2).max_timestamp_skew("1ms").load()
    expected = write(a, topic, *numbered("a", 3)) + write(b, topic, *numbered("b", 3))
    # The first run of a query waits in any case.
    first = scene.start(rows, once=True)
    first.await_end()
    assert sorted(first.values()) == sorted(expected)
    expected += write(a, topic, *numbered("more a", 3)) + write(b, topic, *numbered("more b", 3))
    b.pause()
    thaw = threading.Timer(FROZEN, b.resume)
    thaw.start()
    try:
        running = scene.start(rows, after=first, once=True)
        running.await_end()
    finally:
        thaw.join()
    assert sorted(running.values()) == sorted(expected)
    assert len([batch for batch in running.batches.values() if batch]) == 2


@pytest.fixture
def scripted(a: KafkaCluster, b: KafkaCluster, topic: str) -> Scripted:
    """A service that knows the stream `orders`, which is the topic on a and b."""
    service = Scripted()
    service.put(KafkaStream("orders", {"a": on(a, topic), "b": on(b, topic)}))
    return service


def await_fetches(service: Scripted, count: int, act: Callable[[], object]) -> None:
    """Waits until so many fetches more have begun, each of which did this."""
    begun: list[object] = []

    def counted() -> None:
        begun.append(None)
        act()

    service.act = counted
    eventually("the service is asked again", lambda: len(begun), until=lambda seen: seen >= count, within=40)


def test_a_service_that_fails_during_the_run_changes_nothing(
    a: KafkaCluster, b: KafkaCluster, topic: str, scripted: Scripted, queries: Queries, source: Source
) -> None:
    builder = source(scripted, "orders").metadata_discovery_interval("100ms").metadata_discovery_failure_threshold(0)
    expected = write(a, topic, *numbered("a", 6)) + write(b, topic, *numbered("b", 6))

    def fails() -> None:
        raise RuntimeError("the service is down")

    breaks = Once(lambda: await_fetches(scripted, 3, fails))
    running = run(queries, builder.max_offsets_per_trigger(4).load(), between=breaks)
    assert sorted(running.values()) == sorted(expected)
    assert int(running.metrics()["metadataFailures"]) >= 2
