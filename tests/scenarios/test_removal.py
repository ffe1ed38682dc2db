"""How what was removed drains, how its drain ends, and what is left of it."""

from collections.abc import Iterator

import pytest

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.listing import on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Running
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog


@pytest.fixture
def leaving(b: KafkaCluster) -> Iterator[KafkaCluster]:
    """A cluster that a test stops, or pauses."""
    yield b
    b.heal()


def test_a_drain_goes_on_over_limited_batches_and_a_restart_to_the_end_found_at_the_removal(
    a: KafkaCluster, b: KafkaCluster, filed: Scene, topic: str, log: SessionLog
) -> None:
    backlog = write(b, topic, *numbered("backlog ", 40))
    filed.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    read = filed.read("orders").max_offsets_per_trigger(4).load()
    # Slowly, so that the restart comes in the middle of the drain.
    running = filed.start(read, processingTime="1 second")
    eventually("the backlog is being read", running.rows, within=40)
    # Listed without topics its credentials stay known, so that the drain goes on after a restart too.
    filed.publish("orders", {"a": on(a, topic), "b": on(b)})
    running.await_state("b", "draining")
    write(b, topic, *numbered("after the removal ", 7))
    running.stop()
    assert len(running.rows()) < len(backlog), "the restart should come in the middle of the drain"
    again = filed.start(read, after=running)
    again.await_values(backlog)
    assert "recordsBeyond=7" in log.await_line(f"drain ended cluster=b .*topic={topic}")
    assert again.metrics()["abandonedRecords"] == "0"


@pytest.mark.long
def test_after_drain_timeout_of_failed_tries_a_drain_ends_and_resumes_exactly_there_when_it_is_listed_again(
    a: KafkaCluster, leaving: KafkaCluster, scene: Scene, topic: str, log: SessionLog
) -> None:
    backlog = write(leaving, topic, *numbered("backlog ", 60))
    both = {"a": on(a, topic), "b": on(leaving, topic)}
    scene.publish("orders", both)
    # While it is listed its cluster may be out of reach too, from the pause to the next fetch.
    read = scene.read("orders").unavailable_cluster_policy("skip").cluster_request_timeout("3s")
    read = read.drain_timeout("9s")
    # One batch alone, so that the cluster is out of reach when the next one is prepared.
    running = scene.start(read.max_offsets_per_trigger(20).load(), processingTime="3 seconds")
    eventually("a batch is read", running.rows, within=40)
    leaving.pause()
    scene.publish("orders", {"a": on(a, topic)})
    running.await_state("b", "draining")
    meanwhile = write(a, topic, "meanwhile")
    eventually("the other cluster goes on", running.values, until=lambda seen: meanwhile[0] in seen, within=40)
    left = running.await_metric("abandonedRecords", lambda seen: seen not in (None, "0"))
    assert int(left) == 60 - (len(running.rows()) - 1)
    running.await_state("b", None)
    assert f"{left} records" in log.await_line("CLUSTER_UNREACHABLE.*Draining topic .* ended before its target")
    leaving.resume()
    scene.publish("orders", both)
    running.await_values(backlog + meanwhile)


def test_the_retention_counts_from_the_removal_over_restarts_and_what_returns_after_it_is_new(
    a: KafkaCluster, b: KafkaCluster, scene: Scene, topic: str
) -> None:
    both, one = {"a": on(a, topic), "b": on(b, topic)}, {"a": on(a, topic)}
    scene.publish("orders", both)
    read = scene.read("orders").removed_cluster_retention("6s").load()
    running = scene.start(read)
    expected = write(b, topic, "one", "two")
    running.await_values(expected)
    scene.publish("orders", one)

    def removed(query: Running) -> int | None:
        topics = query.offset()["clusters"].get("b", {"topics": {topic: {}}})["topics"]
        at: int | None = topics[topic].get("removed")
        return at

    since = eventually("the removal is recorded", lambda: removed(running), within=40)
    running.stop()
    again = scene.start(read, after=running)
    expected += write(a, topic, "after the restart")
    again.await_values(expected)
    assert removed(again) in (since, None)

    def forgotten() -> bool:
        expected.extend(write(a, topic, f"more {len(expected)}"))
        again.await_values(expected)
        return "b" not in again.offset()["clusters"]

    eventually("its positions are forgotten", forgotten, within=40)
    scene.publish("orders", both)
    again.await_values([*expected, "one", "two"])
    assert again.offset()["clusters"]["b"]["topics"][topic]["partitions"]["0"][:3] == [0, 2, 1]
