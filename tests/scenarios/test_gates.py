"""Connections that break in every way there is: what a user sees, how soon, and that nothing is lost or comes twice."""

import itertools
import re
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
from dynamic_kafka import ClusterMetadata, find_error
from dynamic_kafka.errors import ClusterUnreachableError

from tests.cluster import KafkaCluster
from tests.cluster.clusters import behind_gates
from tests.cluster.gate import HANG, PASS, REFUSE, RESET, UNFETCHED, Gate, Way
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import FileListing, ProgramListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog

pytestmark = pytest.mark.wire

Policy = Literal["fail", "skip"]

# Each way has a listener and a gate of its own, by these names. What passes of half an answer ends inside its head.
WAYS = {
    "REFUSES": REFUSE,
    "RESETS": RESET,
    "HANGS": HANG,
    "HALF": Way(passes=20),
    "CUT": Way(passes=20, then="close"),
}

# Seconds for preparing and reading: well below the defaults of 30 s and of 120 s, however busy the machine is.
PREPARE, READ, LIMITED, LIMITED_READ = 3, 3, 25, 100


@dataclass(frozen=True)
class Gated:
    """One cluster behind several gates, so that each is a cluster of its own to who comes through it."""

    cluster: KafkaCluster
    gates: dict[str, Gate]

    def on(self, name: str, topic: str) -> ClusterMetadata:
        return ClusterMetadata([topic], {"bootstrap.servers": self.gates[name].address})


@pytest.fixture(scope="module")
def gated_cluster() -> Iterator[Gated]:
    with behind_gates(*WAYS) as (cluster, gates):
        yield Gated(cluster, gates)


@pytest.fixture
def gated(gated_cluster: Gated) -> Gated:
    for gate in gated_cluster.gates.values():
        gate.turn(PASS)
    return gated_cluster


@pytest.fixture
def topics(gated: Gated, fresh_name: Name) -> dict[str, str]:
    """One topic for each way, since no topic may be read by two ways."""
    made = {name: fresh_name(name.lower()) for name in WAYS}
    for topic in made.values():
        gated.cluster.create_topic(topic)
    return made


@pytest.fixture
def limited(source: Source) -> Source:
    """A source that gives up soon."""

    def make(*given: object) -> object:
        return source(*given).cluster_request_timeout(f"{PREPARE}s").cluster_read_timeout(f"{READ}s")

    return make  # type: ignore[return-value]


@pytest.mark.slow
def test_a_cluster_whose_times_take_longer_than_a_trigger_waits_is_read_all_the_same(
    gated: Gated, topics: dict[str, str], a: KafkaCluster, scene: Scene, fresh_name: Name
) -> None:
    own, gate = fresh_name("sound"), gated.gates["HANGS"]
    a.create_topic(own)
    scene.publish("orders", {"a": on(a, own), "slow": gated.on("HANGS", topics["HANGS"])})
    read = scene.read("orders").unavailable_cluster_policy("skip").max_timestamp_skew("10m")
    running = scene.start(read.cluster_request_timeout("30s").load())
    expected = write(a, own, "a1") + write(gated.cluster, topics["HANGS"], "slow1")
    running.await_values(expected)
    gate.turn(Way(delay=1))
    for number in range(2, 4):
        expected += write(a, own, f"a{number}") + write(gated.cluster, topics["HANGS"], f"slow{number}")
        running.await_values(expected)
    gate.turn(PASS)


def test_while_a_batch_is_prepared_what_breaks_is_skipped_and_goes_on_where_it_was(
    gated: Gated,
    topics: dict[str, str],
    a: KafkaCluster,
    program: ProgramListing,
    queries: Queries,
    limited: Source,
    fresh_name: Name,
) -> None:
    own = fresh_name("sound")
    a.create_topic(own)
    program.publish("orders", {"a": on(a, own), **{name: gated.on(name, topics[name]) for name in WAYS}})
    # A trigger that waited for one of them would take this limit.
    read = limited(program.service, "orders").cluster_request_timeout("30s")
    running = queries.start(read.unavailable_cluster_policy("skip").load())
    expected = write(a, own, "a1") + [write(gated.cluster, topics[name], f"{name}1")[0] for name in WAYS]
    running.await_values(expected)
    running.await_committed()
    for name, way in WAYS.items():
        gated.gates[name].turn(way)
    began = time.monotonic()
    late = [write(gated.cluster, topics[name], f"{name}2")[0] for name in WAYS]
    running.await_metric("unavailableClusters", lambda seen: seen == str(len(WAYS)))
    assert time.monotonic() - began < LIMITED
    expected += write(a, own, "a2")
    running.await_values(expected)
    for gate in gated.gates.values():
        gate.turn(PASS)
    running.await_values(expected + late)
    for name in WAYS:
        running.await_state(name, "reading")


@pytest.mark.slow
def test_a_cluster_that_only_executors_can_not_read_delays_the_others_ever_less_often(
    gated: Gated, topics: dict[str, str], a: KafkaCluster, scene: Scene, fresh_name: Name, log: SessionLog
) -> None:
    own, topic, gate = fresh_name("sound"), topics["HANGS"], gated.gates["HANGS"]
    a.create_topic(own)
    scene.publish("orders", {"a": on(a, own), "cut": gated.on("HANGS", topic)})
    read = scene.read("orders").unavailable_cluster_policy("skip").unreadable_range_policy("defer")
    running = scene.start(read.cluster_read_timeout("2s").kafka_property("fetch.max.wait.ms", 10).load())
    expected = write(a, own, "a1") + write(gated.cluster, topic, "cut1")
    running.await_values(expected)
    gate.turn(UNFETCHED)
    late = write(gated.cluster, topic, "cut2")
    until = time.monotonic() + 20
    while time.monotonic() < until:
        running.await_among(expected := expected + write(a, own, f"a{len(expected)}"))
    # Pauses of 2, 4 and 8 seconds: without them every batch waits.
    assert 2 <= len(log.lines("WARN .*unreadableRangePolicy=defer defers")) <= 4
    running.await_state("cut", "unavailable")
    assert "Executors cannot read cluster cut" in running.metrics()["cluster.cut.cause"]
    gate.turn(PASS)
    running.await_values(expected + late, within=60)
    running.await_state("cut", "reading")


def test_the_backlog_of_a_renamed_cluster_is_read_though_its_old_address_refuses(
    gated: Gated, topics: dict[str, str], file: FileListing, queries: Queries, limited: Source
) -> None:
    topic, gate = topics["REFUSES"], gated.gates["REFUSES"]
    expected = write(gated.cluster, topic, *numbered("backlog ", 40))
    file.publish("orders", {"old": gated.on("REFUSES", topic)})
    rows = limited(file.service, "orders").unavailable_cluster_policy("skip").max_offsets_per_trigger(2).load()
    batches = itertools.count(1)

    def between() -> None:
        # The next batch is prepared without the old address.
        if next(batches) == 3:
            gate.turn(REFUSE)

    running = queries.start(rows, between=between)
    running.await_state("old", "unavailable")
    assert len(running.values()) < len(expected), "nothing was left"
    file.publish("orders", {"new": on(gated.cluster, topic, continues="old")})
    expected += write(gated.cluster, topic, "later")
    running.await_values(expected)
    assert running.metrics()["abandonedRecords"] == "0"
    assert {row["cluster"] for row in running.rows()} == {"old", "new"}


@pytest.fixture
def each(gated: Gated, topics: dict[str, str], queries: Queries, limited: Source) -> Callable[..., dict[str, Running]]:
    """Starts a query for each way, under the policy given, after those given."""

    def start(policy: Policy, after: dict[str, Running] | None = None) -> dict[str, Running]:
        started = {}
        for name in WAYS:
            listing = ProgramListing()
            listing.publish("orders", {name: gated.on(name, topics[name])})
            # Short, or the answer to a fetch from before a gate turned would bring the record of after it.
            builder = limited(listing.service, "orders").kafka_property("fetch.max.wait.ms", 10)
            rows = builder.unavailable_cluster_policy(policy).load()
            started[name] = queries.start(rows, after=after[name] if after else None)
        return started

    return start


@pytest.mark.parametrize("policy", ["fail", "skip"])
def test_what_breaks_ends_the_query_within_its_limits_and_the_restart_has_each_id_once(
    policy: Policy,
    gated: Gated,
    topics: dict[str, str],
    each: Callable[..., dict[str, Running]],
) -> None:
    """Under `fail` while a batch is prepared. While it is read under `skip` too, for a logged batch can't be
    skipped."""
    running = each(policy)
    for name, query in running.items():
        query.await_values(write(gated.cluster, topics[name], "1"))
    for name, query in running.items():
        query.await_committed()
        if policy == "fail":
            gated.gates[name].turn(WAYS[name])
        else:
            gated.gates[name].turn_at_fetch(WAYS[name])
    began = time.monotonic()
    for topic in topics.values():
        write(gated.cluster, topic, "2")
    for name, query in running.items():
        error = query.await_failure()
        assert isinstance(error, ClusterUnreachableError), name
        words = ("unavailableClusterPolicy",) if policy == "fail" else ("clusterReadTimeout", f"topic={topics[name]}")
        for word in (name, *words):
            assert word in str(error), name
    # Though each query has a task of its own that waits, of which but some run at a time.
    assert time.monotonic() - began < (LIMITED if policy == "fail" else LIMITED_READ)
    for gate in gated.gates.values():
        gate.turn(PASS)
    for name, query in each(policy, after=running).items():
        query.await_values(["1", "2", *write(gated.cluster, topics[name], "3")])


def test_a_cluster_that_is_slow_or_flaky_is_only_slow(gated: Gated, topics: dict[str, str], scene: Scene) -> None:
    ways = {"HANGS": Way(delay=0.3), "RESETS": Way(every=2)}
    for name, way in ways.items():
        gated.gates[name].turn(RESET)
        gated.gates[name].turn(way)
    scene.publish("orders", {name: gated.on(name, topics[name]) for name in ways})
    running = scene.start(scene.read("orders").load())
    expected: list[str] = []
    for turn in range(2):
        expected += [value for name in ways for value in write(gated.cluster, topics[name], f"{name}{turn}")]
        running.await_values(expected)
        gated.gates["RESETS"].turn(RESET)
        gated.gates["RESETS"].turn(ways["RESETS"])


def test_a_batch_read_whose_tasks_fail_raises_an_error_that_is_found_by_its_class(
    gated: Gated, topics: dict[str, str], program: ProgramListing, limited: Source
) -> None:
    write(gated.cluster, topics["RESETS"], "1")
    program.publish("orders", {"RESETS": gated.on("RESETS", topics["RESETS"])})
    gated.gates["RESETS"].turn_at_fetch(RESET)
    rows = limited(program.service, "orders").bounded().load()
    with pytest.raises(Exception, match="DYNAMIC_KAFKA_CLUSTER_UNREACHABLE") as failed:
        rows.collect()
    error = find_error(failed.value)
    assert isinstance(error, ClusterUnreachableError)
    assert str(error).startswith("[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] No range of cluster RESETS advanced for 3s")
    assert "\n" not in str(error)
    assert (error.cluster, error.topic) == ("RESETS", topics["RESETS"])
    gated.gates["RESETS"].turn(PASS)
    assert [bytes(row["value"]) for row in rows.collect()] == [b"1"]


# Who gives up first: we, or Kafka's client, which has two ways to say so.
_SAID = (f"no answer within {PREPARE}s", "Timed out waiting for a node assignment", r"Call\(.*timed out at")
TIMED_OUT = f"TimeoutException: ({'|'.join(_SAID)})"


class WebServer(socketserver.BaseRequestHandler):
    """Says at once that it does not understand."""

    def handle(self) -> None:
        self.request.recv(1 << 16)
        self.request.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


@pytest.fixture
def wrong(gated: Gated) -> Iterator[dict[str, tuple[str, str]]]:
    """Addresses where no broker can be reached, with a pattern of what the error says of each."""
    gated.gates["REFUSES"].turn(REFUSE)
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), WebServer) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield {
            "nameless": ("nosuch.invalid:9092", "can be resolved"),
            "web": (f"127.0.0.1:{server.server_address[1]}", "not a Kafka broker: its answer begins with HTTP"),
            "closed": (gated.gates["REFUSES"].address, TIMED_OUT),
            # It answers, and sends its clients to an address that does not.
            "elsewhere": (f"127.0.0.1:{gated.cluster.port('REFUSES')}", TIMED_OUT),
        }
        server.shutdown()


def test_a_wrong_address_is_reported_as_what_it_is_soon_and_without_a_gigabyte_of_memory(
    wrong: dict[str, tuple[str, str]],
    topics: dict[str, str],
    a: KafkaCluster,
    program: ProgramListing,
    queries: Queries,
    source: Source,
    limited: Source,
    log: SessionLog,
    fresh_name: Name,
) -> None:
    own, topic = fresh_name("sound"), topics["REFUSES"]
    a.create_topic(own)
    bad = {name: ClusterMetadata([topic], {"bootstrap.servers": address}) for name, (address, _) in wrong.items()}
    for name, (_, words) in wrong.items():
        program.publish("orders", {name: bad[name]})
        began = time.monotonic()
        with pytest.raises(Exception, match="DYNAMIC_KAFKA_CLUSTER_UNREACHABLE") as failed:
            (source if name == "web" else limited)(program.service, "orders").bounded().load().collect()
        assert time.monotonic() - began < LIMITED, name
        assert f"cluster {name}" in str(find_error(failed.value))
        assert re.search(words, str(find_error(failed.value))), (name, str(find_error(failed.value)))
    program.publish("orders", {"a": on(a, own), **bad})
    running = queries.start(limited(program.service, "orders").unavailable_cluster_policy("skip").load())
    running.await_values(write(a, own, "a1"))
    for name in wrong:
        running.await_state(name, "pending")
    assert not log.lines("OutOfMemoryError")
