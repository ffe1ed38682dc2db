"""The status file of a query from its first batch to its end, and whether a cluster may be switched off."""

import time
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.batch_logs import BatchLogs
from tests.scenarios.conftest import Name
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.driver_process import DriverProcess, Table
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import SOON
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog
from tests.scenarios.spark_programs import SmallStream
from tests.scenarios.status_files import StatusFiles


@pytest.fixture
def driver_jvm(spark: SparkSession) -> DriverJvm:
    return DriverJvm(spark)


@pytest.fixture
def statuses(tmp_path: Path) -> StatusFiles:
    return StatusFiles(tmp_path / "statuses")


def test_a_status_follows_a_query_and_releases_a_cluster_once_it_is_drained(
    a: KafkaCluster, b: KafkaCluster, filed: Scene, topic: str, statuses: StatusFiles, log: SessionLog
) -> None:
    filed.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    read = filed.read("orders").unavailable_cluster_policy("skip").status_path(str(statuses.path))
    running = filed.start(read.max_offsets_per_trigger(4).load())
    expected = write(a, topic, "a1") + write(b, topic, "b1")
    running.await_values(expected)
    query = running.query.id
    statuses.await_cluster(query, "b", state="reading", partitions=1, neededFor=["listed"])
    before = statuses.of(query)["applied"]

    _falls_sick_and_recovers(b, query, statuses)
    log.await_line(f"WARN .*Cluster b answers again.* query={query}")
    expected += write(b, topic, *numbered("backlog ", 40))
    filed.publish("orders", {"a": on(a, topic)})
    assert statuses.command("can-remove", "b")[0] == 1
    running.await_values(expected)
    statuses.await_cluster(query, "b", state="removed", neededFor=[], drained=True)
    assert statuses.of(query)["applied"]["topology"] != before["topology"]
    assert statuses.command("can-remove", "b")[0] == 0
    b.kill()
    running.await_values(expected := expected + write(a, topic, "b is off"))
    assert statuses.command("can-remove", "a")[0] == 1

    running.stop()
    last = statuses.of(query)
    assert (last["state"], last["query"]["runId"]) == ("stopped", running.query.runId)
    assert [statuses.command("can-remove", cluster)[0] for cluster in "ab"] == [2, 0]
    text = (statuses.path / f"{query}.json").read_text()
    assert not [cluster for cluster in (a, b) if cluster.bootstrap_servers in text]
    b.heal()


def _falls_sick_and_recovers(b: KafkaCluster, query: str, statuses: StatusFiles) -> None:
    assert statuses.command("status")[0] == 0
    b.pause()
    sick = statuses.await_cluster(query, "b", state="unavailable")
    assert "CLUSTER_UNREACHABLE" in sick["cause"]
    assert statuses.command("status")[0] == 1
    b.heal()
    statuses.await_cluster(query, "b", state="reading")


def test_an_uncommitted_batch_needs_its_cluster_and_a_failed_query_says_what_it_failed_with(
    a: KafkaCluster, b: KafkaCluster, filed: Scene, topic: str, statuses: StatusFiles
) -> None:
    filed.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    read = filed.read("orders").status_path(str(statuses.path)).cluster_request_timeout("3s")
    running = filed.start(read.load())
    running.await_values(write(a, topic, "a1") + write(b, topic, "b1"))
    running.leave_over()
    filed.publish("orders", {"a": on(a, topic)})
    again = filed.start(read.load(), after=running)
    assert again.await_failure().condition == "DYNAMIC_KAFKA_CLUSTER_NOT_LISTED"
    failed = statuses.await_status(again.query.id, "it failed", lambda seen: seen["state"] == "failed")
    assert failed["condition"] == "DYNAMIC_KAFKA_CLUSTER_NOT_LISTED"
    assert "uncommitted" in failed["clusters"]["b"]["neededFor"]
    assert failed["clusters"]["b"]["uncommittedRecords"] > 0
    assert statuses.command("can-remove", "b")[0] == 2
    assert statuses.command("status")[0] == 1


def test_a_query_that_its_sink_fails_is_failed_and_not_stopped_and_its_thread_ends(
    small: SmallStream, statuses: StatusFiles, filed: Scene, driver_jvm: DriverJvm
) -> None:
    def fail() -> None:
        raise RuntimeError("the sink is broken")

    read = filed.read(small.stream_id).status_path(str(statuses.path))
    running = filed.start(read.load(), between=fail)
    running.failure_awaited = True
    with pytest.raises(StreamingQueryException):
        running.query.awaitTermination(40)
    failed = statuses.await_status(running.query.id, "it failed", lambda seen: seen["state"] == "failed")
    assert not failed.get("condition", "").startswith("DYNAMIC_KAFKA_")

    def left() -> list[str]:
        return [name for name in driver_jvm.our_threads() if name.startswith("dynamic-kafka-status")]

    eventually("no thread keeps a status", left, until=lambda names: not names, within=10)


@pytest.mark.long
def test_a_killed_driver_leaves_a_status_that_says_running(
    a: KafkaCluster, file: FileListing, fresh_name: Name, tmp_path: Path, statuses: StatusFiles
) -> None:
    stream, topic = fresh_name("killed"), fresh_name("topic")
    a.create_topic(topic)
    file.publish(stream, {"a": on(a, topic)})
    with DriverProcess(file.path, stream, tmp_path / "driver", statusPath=str(statuses.path)):
        found = eventually("there is a status", lambda: list(statuses.path.glob("*.json")), within=90)
        query = found[0].stem
        statuses.await_cluster(query, "a", state="reading", neededFor=["listed"])
    left = statuses.of(query)
    assert left["state"] == "running"
    assert statuses.command("can-remove", "a")[0] == 1


@pytest.mark.slow
def test_a_driver_that_is_asked_to_end_leaves_a_status_that_says_stopped(
    a: KafkaCluster, file: FileListing, fresh_name: Name, tmp_path: Path, statuses: StatusFiles
) -> None:
    stream, topic = fresh_name("asked"), fresh_name("topic")
    a.create_topic(topic)
    file.publish(stream, {"a": on(a, topic)})
    write(a, topic, "a1")
    # The query rests then. The end of Spark would make a batch fail, and the query would end by that.
    with DriverProcess(file.path, stream, tmp_path / "driver", "1 hour", statusPath=str(statuses.path)) as driver:
        logs = BatchLogs(tmp_path / "driver" / "checkpoint")
        eventually("a batch is committed", lambda: Table(tmp_path / "driver").ids() and logs.all_committed(), within=90)
        driver.terminate_jvm()
        driver.end(within=SOON)
    (found,) = statuses.path.glob("*.json")
    left = statuses.of(found.stem)
    ended = (left["state"], left["endedBy"], left["clusters"]["a"]["state"])
    assert ended == ("stopped", "process", "reading"), left
    code, shown = statuses.command("status")
    assert (code, shown[0]["status"]["state"], shown[0]["silent"]) == (0, "stopped", False)


def test_a_folder_that_can_not_be_written_to_costs_a_warning_and_nothing_else(
    a: KafkaCluster, filed: Scene, fresh_name: Name, tmp_path: Path, log: SessionLog
) -> None:
    topic = fresh_name("topic")
    a.create_topic(topic)
    filed.publish("orders", {"a": on(a, topic)})
    (tmp_path / "taken").write_text("a file")
    running = filed.start(filed.read("orders").status_path(str(tmp_path / "taken" / "below")).load())
    running.await_values(write(a, topic, "a1"))
    log.await_line("INVALID_OPTION.*status of the query can't be written")
    began = time.monotonic()
    running.stop()
    assert time.monotonic() - began < 10
    assert len(log.lines("status of the query can't be written")) == 1
