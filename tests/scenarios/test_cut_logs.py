"""A log that was cut off, and that has grown past what was read of it before anybody looks."""

import json
from pathlib import Path
from typing import Any, Literal

import pytest
from dynamic_kafka import DynamicKafkaSourceBuilder
from dynamic_kafka.errors import DataLossError

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Creates, Name
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog

pytestmark = pytest.mark.wire

KEPT, READ = 60, 100
AVAILABLE_NOW: dict[str, Any] = {"availableNow": True}


class CutLog:
    """A topic of one partition, which loses what was written after the first 60 records."""

    def __init__(self, cluster: KafkaCluster, topic: str, copied: Path) -> None:
        self._cluster = cluster
        self.topic = topic
        self._copied = copied
        self.old = write_anew(cluster, topic, "old ", KEPT)
        self.anew: list[str] = []
        cluster.stop()
        cluster.copy_log(topic, copied)
        cluster.start()
        self.old += write_anew(cluster, topic, "gone ", READ - KEPT)

    def cut(self) -> None:
        """Loses them, and holds as many others and more when this returns. Does nothing the second time."""
        if not self.anew:
            self._cluster.stop()
            self._cluster.put_back_log(self.topic, self._copied)
            self._cluster.start()
            self.anew = write_anew(self._cluster, self.topic, "anew ", 80)


def write_anew(cluster: KafkaCluster, topic: str, prefix: str, count: int) -> list[str]:
    """Writes by a producer that does not know what the log once held."""
    cluster.produce(topic, [(None, value) for value in numbered(prefix, count)], client={"linger.ms": 0})
    return numbered(prefix, count)


@pytest.fixture
def log_of(a: KafkaCluster, program: ProgramListing, fresh_name: Name, tmp_path: Path) -> CutLog:
    """The stream `orders` on a."""
    topic = fresh_name("topic")
    a.create_topic(topic)
    program.publish("orders", {"a": on(a, topic)})
    return CutLog(a, topic, tmp_path / "copied")


@pytest.fixture
def reads(scene: Scene) -> DynamicKafkaSourceBuilder:
    """A read that waits for a cluster which is down."""
    return scene.read("orders").unavailable_cluster_policy("skip")


def fails_where_it_was_cut(running: Running, position: int = READ) -> None:
    error = running.await_failure()
    assert isinstance(error, DataLossError)
    assert f"read up to {position}, cut off at {KEPT}" in str(error)


def position(running: Running, topic: str) -> list[int]:
    return list(running.offset()["clusters"]["a"]["topics"][topic]["partitions"]["0"])


def decided(running: Running) -> dict[str, Any]:
    """What the running batch has decided, as it stands beside the checkpoint."""
    files = (running.checkpoint / "sources" / "0" / "deferred").glob("[0-9]*")
    return dict(json.loads(max(files, key=lambda file: int(file.name)).read_text()))


@pytest.mark.long
def test_it_is_reported_by_the_query_that_runs(
    log_of: CutLog, reads: DynamicKafkaSourceBuilder, queries: Queries
) -> None:
    fails_where_it_was_cut(queries.start(reads.load(), between=log_of.cut))


@pytest.mark.slow
def test_without_failing_it_is_read_from_where_it_was_cut_and_what_was_unread_is_counted(
    a: KafkaCluster, log_of: CutLog, reads: DynamicKafkaSourceBuilder, queries: Queries
) -> None:
    write_anew(a, log_of.topic, "never read ", 10)
    rows = reads.fail_on_data_loss(False).max_offsets_per_trigger(READ).load()
    running = queries.start(rows, between=log_of.cut)
    running.await_among(log_of.old)
    running.await_metric("dataLossRecords", lambda seen: seen == "10")
    running.await_values(log_of.old + log_of.anew)
    assert position(running, log_of.topic)[:3] == [KEPT, KEPT + 80, 1]


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["wait", pytest.param("defer", marks=pytest.mark.long)])
def test_a_cut_that_a_task_finds_is_kept_before_its_batch_ends(
    policy: Literal["wait", "defer"], log_of: CutLog, reads: DynamicKafkaSourceBuilder, queries: Queries
) -> None:
    kept: list[dict[str, Any]] = []
    rows = reads.fail_on_data_loss(False).unreadable_range_policy(policy).load()
    running = queries.start(rows, once_planned=log_of.cut, between=lambda: kept.append(decided(running)))
    running.await_among(log_of.old[:KEPT])
    running.await_values(log_of.old[:KEPT] + log_of.anew)
    assert kept[0]["cut"] == {"a": {log_of.topic: {"0": [KEPT, READ, 0]}}}
    assert position(running, log_of.topic)[:3] == [KEPT, KEPT + 80, 1]
    running.await_metric("dataLossRecords", lambda seen: seen == str(READ - KEPT))


@pytest.mark.slow
@pytest.mark.parametrize(
    "trigger", [{}, pytest.param(AVAILABLE_NOW, marks=pytest.mark.long)], ids=["streaming", "available-now"]
)
def test_it_is_reported_by_the_query_that_was_stopped_meanwhile(
    trigger: dict[str, Any], log_of: CutLog, reads: DynamicKafkaSourceBuilder, queries: Queries
) -> None:
    stopped = queries.start(reads.load())
    stopped.await_values(log_of.old)
    stopped.stop_between_batches()
    log_of.cut()
    fails_where_it_was_cut(queries.start(reads.load(), after=stopped, **trigger))
    again = queries.start(reads.fail_on_data_loss(False).load(), after=stopped, **trigger)
    again.await_values(log_of.old + log_of.anew)


@pytest.mark.long
def test_a_cut_between_two_batches_of_a_run_ends_it_or_is_recorded_for_the_next_run(
    log_of: CutLog, reads: DynamicKafkaSourceBuilder, queries: Queries
) -> None:
    reads.max_offsets_per_trigger(80)
    first = queries.start(reads.load(), between=log_of.cut, **AVAILABLE_NOW)
    fails_where_it_was_cut(first, 80)
    lenient = queries.start(reads.fail_on_data_loss(False).load(), after=first, **AVAILABLE_NOW)
    lenient.await_end()
    again = queries.start(reads.fail_on_data_loss(True).load(), after=lenient, **AVAILABLE_NOW)
    again.await_values(log_of.old[:80] + log_of.anew)


@pytest.mark.long
def test_where_loss_is_allowed_a_run_records_a_cut_and_the_next_one_reads_on_from_there(
    log_of: CutLog, reads: DynamicKafkaSourceBuilder, queries: Queries
) -> None:
    reads.max_offsets_per_trigger(80)
    first = queries.start(reads.fail_on_data_loss(False).load(), between=log_of.cut, **AVAILABLE_NOW)
    first.await_end()
    first.await_values(log_of.old[:80])
    assert position(first, log_of.topic)[:3] == [KEPT, KEPT, 1]
    again = queries.start(reads.fail_on_data_loss(True).load(), after=first, **AVAILABLE_NOW)
    again.await_values(log_of.old[:80] + log_of.anew)


@pytest.mark.long
@pytest.mark.parametrize("meanwhile", ["runs", "is stopped"])
def test_a_log_that_an_unclean_leader_cut_and_that_has_grown_is_reported_and_read_from_the_cut(
    meanwhile: str, trio: KafkaCluster, creates: Creates, reads: DynamicKafkaSourceBuilder, queries: Queries
) -> None:
    topic = creates([(2, 3)], unclean_leader_election_enable="true")
    running = queries.start(reads.load())
    expected = write(trio, topic, *numbered("both ", 3))
    trio.stop(3)
    expected += write(trio, topic, *numbered("one ", 3))
    running.await_values(expected)
    if meanwhile == "is stopped":
        running.stop_between_batches()
    trio.kill(2)
    trio.start(3)
    trio.elect(topic, unclean=True)
    trio.await_leader(topic, 3)
    anew = write_anew(trio, topic, "anew ", 5)
    failing = queries.start(reads.load(), after=running) if meanwhile == "is stopped" else running
    error = failing.await_failure()
    assert isinstance(error, DataLossError)
    assert "read up to 6, cut off at 3" in str(error)
    queries.start(reads.fail_on_data_loss(False).load(), after=failing).await_values(expected + anew)


@pytest.mark.long
def test_a_leader_that_takes_over_in_good_order_is_no_loss_and_holds_nothing(
    trio: KafkaCluster, a: KafkaCluster, creates: Creates, scene: Scene, log: SessionLog
) -> None:
    topic = creates([(2, 3), (3, 2)])
    # Nothing may be held for as long as this.
    rows = scene.read("orders").cluster_request_timeout("60s").load()
    running = scene.start(rows)
    expected = [*write(trio, topic, "t0", partition=0), *write(trio, topic, "t1", partition=1), *write(a, topic, "a0")]
    running.await_values(expected)
    running.await_committed()
    before = epochs(running, topic)
    for number in (2, 3):
        trio.restart(number)
        trio.await_in_sync(topic)
    expected += [*write(trio, topic, "t2", partition=0), *write(trio, topic, "t3", partition=1)]
    running.await_values(expected, within=30)
    running.await_committed()
    after = epochs(running, topic)
    assert all(after[number] > epoch for number, epoch in before.items())
    running.stop_between_batches()
    trio.restart(2)
    trio.await_in_sync(topic)
    again = scene.start(rows, after=running)
    again.await_values(expected + write(trio, topic, "t4", partition=0), within=30)
    assert log.lines("DATA_LOSS") == []


def epochs(running: Running, topic: str) -> dict[str, int]:
    """By partition, the leader epochs in the checkpoint."""
    held = running.offset()["clusters"]["trio"]["topics"][topic]["partitions"]
    return {number: position[3] for number, position in held.items()}
