"""What one sick cluster costs the others: a pause when it falls silent, and nothing more."""

import time

import pytest

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Source
from tests.scenarios.listing import FileListing, ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, Running

pytestmark = pytest.mark.wire

# How old a row may be when it reaches the sink, seconds, on a machine that has much to do. A trigger that waits for the
# sick cluster takes the whole limit of a request.
_AGE = 8.0
_LIMIT = "30s"


def ages(running: Running, cluster: KafkaCluster, topic: str, expected: list[str], label: str) -> list[float]:
    """Writes rows one after the other, and says how long each took to come."""
    taken = []
    for number in range(6):
        began = time.monotonic()
        expected += write(cluster, topic, f"{label}{number}")
        running.await_values(expected)
        taken.append(time.monotonic() - began)
    return taken


@pytest.mark.parametrize("how", ["frozen", "dead"])
def test_while_a_cluster_hangs_rows_of_the_others_keep_their_age(
    how: str,
    a: KafkaCluster,
    b: KafkaCluster,
    program: ProgramListing,
    queries: Queries,
    source: Source,
    topic: str,
) -> None:
    program.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    builder = source(program.service, "orders").unavailable_cluster_policy("skip").cluster_request_timeout(_LIMIT)
    running = queries.start(builder.load())
    expected = write(a, topic, "a1") + write(b, topic, "b1")
    running.await_values(expected)
    running.await_committed()
    if how == "frozen":
        b.pause()
    else:
        b.kill()
    taken = ages(running, a, topic, expected, "sick")
    assert max(taken) < _AGE, taken
    running.await_state("b", "unavailable")
    assert "CLUSTER_UNREACHABLE" in running.await_metric("cluster.b.cause", bool)
    b.heal()
    began = time.monotonic()
    running.await_values(expected := expected + write(b, topic, "b2"), within=60)
    assert time.monotonic() - began < 45
    running.await_state("b", "reading")
    assert max(ages(running, a, topic, expected, "well")) < _AGE


def test_a_cluster_that_is_announced_as_inactive_and_switched_off_in_the_same_second_fails_nothing(
    a: KafkaCluster, b: KafkaCluster, file: FileListing, queries: Queries, source: Source, topic: str
) -> None:
    clusters = {"a": on(a, topic), "b": on(b, topic)}
    file.publish("orders", clusters)
    # The next fetch would come long after the brokers are gone.
    builder = source(file.service, "orders").metadata_discovery_interval("10m").cluster_request_timeout("3s")
    running = queries.start(builder.load())
    expected = write(a, topic, "a1") + write(b, topic, "b1")
    running.await_values(expected)
    running.await_committed()
    file.publish_all({"orders": clusters}, inactive=["b"])
    b.kill()
    running.await_values(expected := expected + write(a, topic, "a2"))
    running.await_state("b", "inactive")
    b.heal()
    running.await_values(expected + write(b, topic, "b2"), within=60)
