"""What one sick cluster costs the others: a pause when it falls silent, one batch if it was busy, and no more."""

import time

import pytest
from pyspark.sql.streaming.listener import StreamingQueryProgress

from tests.cluster import KafkaCluster
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Running
from tests.scenarios.scene import Scene

pytestmark = pytest.mark.wire

# How old a row may be when it reaches the sink, seconds, on a machine that has much to do. A trigger that waits for the
# sick cluster takes the whole limit of a request.
_AGE = 8.0
_LIMIT = "30s"
# What a trigger may need to find out where clusters end, seconds: for a silent one it waits for a second at most, once.
# Then a batch that gives the busy cluster back: the limit, and as much as a batch may take here.
_ASKING = 4.0
_BATCH = {"frozen": 10.0 + 6.0, "killed": 2.0 + 6.0}


def ages(
    running: Running, cluster: KafkaCluster, topic: str, expected: list[str], label: str, *, among: bool = False
) -> list[float]:
    """Writes rows one after the other, and says how long each took to come; ``among`` others that were written."""
    taken = []
    for number in range(6):
        began = time.monotonic()
        expected += write(cluster, topic, f"{label}{number}")
        (running.await_among if among else running.await_values)(expected)
        taken.append(time.monotonic() - began)
    return taken


@pytest.mark.parametrize("how", ["frozen", pytest.param("dead", marks=pytest.mark.long)])
def test_while_a_cluster_hangs_rows_of_the_others_keep_their_age(
    how: str, a: KafkaCluster, b: KafkaCluster, scene: Scene, topic: str
) -> None:
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    builder = scene.read("orders").unavailable_cluster_policy("skip").cluster_request_timeout(_LIMIT)
    running = scene.start(builder.load())
    expected = write(a, topic, "a1") + write(b, topic, "b1")
    running.await_values(expected)
    running.await_committed()
    if how == "frozen":
        b.pause()
    else:
        b.kill()
    taken = ages(running, a, topic, expected, "sick")
    assert max(taken) < _AGE, taken
    assert slow(running.query.recentProgress) == []
    running.await_state("b", "unavailable")
    assert "CLUSTER_UNREACHABLE" in running.await_metric("cluster.b.cause", bool)
    b.heal()
    began = time.monotonic()
    running.await_values(expected := expected + write(b, topic, "b2"), within=60)
    assert time.monotonic() - began < 45
    running.await_state("b", "reading")
    assert max(ages(running, a, topic, expected, "well")) < _AGE


def slow(triggers: list[StreamingQueryProgress]) -> list[dict[str, int]]:
    """What those took that waited for somebody, in milliseconds."""
    assert triggers
    took = [one.durationMs for one in triggers]
    return [one for one in took if one.get("latestOffset", 0) > 1e3 * _ASKING or one["triggerExecution"] > 1e3 * _AGE]


@pytest.mark.parametrize("how", ["frozen", pytest.param("killed", marks=pytest.mark.long)])
def test_a_busy_cluster_that_falls_in_a_batch_costs_one_batch_its_limit_and_no_later_trigger_anything(
    how: str, a: KafkaCluster, b: KafkaCluster, scene: Scene, topic: str
) -> None:
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    read = scene.read("orders").unavailable_cluster_policy("skip").cluster_request_timeout(_LIMIT)
    # The default for what may be deferred; tests are given another one.
    frame = read.unreadable_range_policy("defer").cluster_read_timeout("10s").load()
    running = scene.start(frame)
    expected = write(a, topic, "a1") + write(b, topic, "b1")
    running.await_values(expected)
    running.stop_between_batches()
    fell = write(a, topic, *numbered("a fell ", 50)) + write(b, topic, *numbered("b fell ", 50))
    running = scene.start(frame, after=running, once_planned=b.pause if how == "frozen" else b.kill)
    of_a = [value for value in fell if value.startswith("a")]
    running.await_among(of_a)
    fall = int(running.await_metric("cluster.b.deferredInBatch", bool))
    taken = ages(running, a, topic, expected, "sick", among=True)
    (dying,) = (one for one in running.query.recentProgress if one.batchId == fall)
    assert dying.durationMs["triggerExecution"] < 1e3 * _BATCH[how], dying.durationMs

    def since() -> list[StreamingQueryProgress]:
        return [one for one in running.query.recentProgress if one.timestamp > dying.timestamp]

    assert slow(since()) == []
    assert max(taken) < _AGE, taken
    b.heal()
    running.await_values(expected + fell + write(b, topic, "b2"), within=60)
    running.await_metric("deferredRecords", lambda left: left == "0")
    assert slow(since()) == []


def test_a_cluster_that_is_announced_as_inactive_and_switched_off_in_the_same_second_fails_nothing(
    a: KafkaCluster, b: KafkaCluster, file: FileListing, filed: Scene, topic: str
) -> None:
    clusters = {"a": on(a, topic), "b": on(b, topic)}
    filed.publish("orders", clusters)
    # The next fetch would come long after the brokers are gone.
    builder = filed.read("orders").metadata_discovery_interval("1d").cluster_request_timeout("3s")
    running = filed.start(builder.load())
    expected = write(a, topic, "a1") + write(b, topic, "b1")
    running.await_values(expected)
    running.await_committed()
    file.publish_all({"orders": clusters}, inactive=["b"])
    b.kill()
    running.await_values(expected := expected + write(a, topic, "a2"))
    running.await_state("b", "inactive")
    b.heal()
    running.await_values(expected + write(b, topic, "b2"), within=60)
