"""Spark's Real-Time Mode over several clusters: rows within a moment, whatever happens to topology and clusters."""

import time
from pathlib import Path

import pytest
from dynamic_kafka import find_error
from dynamic_kafka.errors import AuthenticationFailedError, TopicRecreatedError
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.cluster.certificates import Certificates
from tests.monitoring.prometheus import get
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import FileListing, exact, on
from tests.scenarios.producing import Mirrored, numbered, write
from tests.scenarios.queries import SOON
from tests.scenarios.real_time import LiveQuery, reads
from tests.scenarios.scene import Scene
from tests.scenarios.status_files import StatusFiles
from tests.scenarios.test_credentials import Behind

# What a row may need from its topic to the output, and a change until its first row, seconds, where the machine has
# much to do: a batch lasts for minutes.
_ROW, _CHANGE = 3.0, 12.0


def took(live: LiveQuery, cluster: KafkaCluster, topic: str, expected: list[str], value: str) -> float:
    began = time.monotonic()
    expected += write(cluster, topic, value)
    live.await_among([value])
    return time.monotonic() - began


def test_rows_of_three_clusters_in_one_task_come_within_a_moment(
    a: KafkaCluster, b: KafkaCluster, c: KafkaCluster, three: str, scene: Scene, live: LiveQuery
) -> None:
    scene.publish("orders", {"a": on(a, three), "b": on(b, three), "c": on(c, three)})
    expected = write(a, three, *numbered("a", 20)) + write(c, three, "c0", partition=1)
    live.start(reads(scene).load()).await_values(expected)
    taken = [
        took(live, cluster, three, expected, f"{number} of {cluster.bootstrap_servers}")
        for number in range(5)
        for cluster in (a, b, c)
    ]
    assert sorted(taken)[len(taken) // 2] < 1.0, taken
    assert max(taken) < _ROW, taken
    assert live.committed() == 0, "all of it in one batch"
    live.await_values(expected)


def test_two_sources_of_a_query_share_the_cores_by_default(
    a: KafkaCluster, b: KafkaCluster, three: str, scene: Scene, file: FileListing, source: Source, live: LiveQuery
) -> None:
    scene.publish("orders", {"a": on(a, three)})
    file.publish("returns", {"b": on(b, three)})
    live.start(scene.read("orders").load().union(source(file.service, "returns").load()))
    expected = write(a, three, "a0") + write(b, three, "b0")
    live.await_values(expected)
    taken = [took(live, cluster, three, expected, f"{number}") for number, cluster in enumerate((a, b, a, b))]
    assert max(taken) < _ROW, taken
    assert live.committed() == 0, "both in one batch"


def test_clusters_topics_and_partitions_come_and_go_while_a_batch_runs(
    a: KafkaCluster, b: KafkaCluster, c: KafkaCluster, three: str, scene: Scene, live: LiveQuery, fresh_name: Name
) -> None:
    scene.publish("orders", {})
    live.start(reads(scene).load())
    eventually("a batch without a partition runs", live.begun, within=60)
    scene.publish("orders", {"a": on(a, three)})
    expected = write(a, three, "a0")
    live.await_values(expected)
    expected += write(b, three, "b before it is listed")
    began = time.monotonic()
    scene.publish("orders", {"a": on(a, three), "b": on(b, three)})
    live.await_values(expected)
    assert time.monotonic() - began < _CHANGE
    another = fresh_name("another")
    c.create_topic(another)
    scene.publish("orders", {"a": on(a, three), "b": on(b, three), "c": on(c, another)})
    expected += write(c, another, "c0")
    live.await_values(expected)
    a.add_partitions(three, 3)
    expected += write(a, three, "in a new partition", partition=2)
    live.await_values(expected)
    expected += write(b, three, "b before it is removed")
    scene.publish("orders", {"a": on(a, three), "c": on(c, another)})
    live.await_values(expected)
    eventually("the removal is on record", live.begun, until=lambda text: '"removed"' in text, within=20)
    write(b, three, "b after it was removed")
    expected += write(a, three, "a1")
    live.await_values(expected)


def test_a_sick_cluster_delays_no_other_and_its_return_is_noticed(
    a: KafkaCluster, b: KafkaCluster, three: str, scene: Scene, live: LiveQuery, both: SparkSession, tmp_path: Path
) -> None:
    scene.publish("orders", {"a": on(a, three), "b": on(b, three)})
    statuses = StatusFiles(tmp_path / "status")
    builder = (
        reads(scene).unavailable_cluster_policy("skip").cluster_request_timeout("5s").status_path(str(statuses.path))
    )
    expected = write(a, three, "a0") + write(b, three, "b0")
    live.start(builder.load()).await_values(expected)
    statuses.await_cluster(str(live.query.id), "b", state="reading", pendingRecords=0)
    b.kill()
    taken = [took(live, a, three, expected, f"sick{number}") for number in range(12)]
    assert max(taken) < _ROW, taken
    statuses.await_cluster(str(live.query.id), "b", state="unavailable")
    address = f"{both.sparkContext.uiWebUrl}/metrics/prometheus"
    eventually("the plugin says so", lambda: "_cluster_b_state_unavailable" in get(address), within=SOON)
    assert live.committed() == 0, "neither waits for a batch to end"
    b.heal()
    expected += write(b, three, "b1")
    live.await_values(expected, within=90)


def test_a_cluster_that_catches_up_delays_no_other_in_the_same_task(
    a: KafkaCluster, b: KafkaCluster, three: str, scene: Scene, live: LiveQuery
) -> None:
    scene.publish("orders", {"a": on(a, three), "b": on(b, three)})
    backlog = write(b, three, *numbered("b", 30_000))
    once = write(a, three, "a0")
    live.start(reads(scene).load()).await_values(backlog + once, within=90)
    assert live.output.values().index("a0") < len(backlog) // 3, "it has waited for its turn alone"


def test_a_mirror_takes_over_while_a_batch_runs_and_each_record_comes_once(
    a: KafkaCluster, b: KafkaCluster, three: str, scene: Scene, live: LiveQuery
) -> None:
    scene.publish("orders", {"a": on(a, three)})
    mirrored = Mirrored(a, b, partitions=2)
    live.start(reads(scene).load())
    expected = write(mirrored, three, *numbered("mirrored ", 40))
    live.await_values(expected)
    scene.publish("orders", {"a": on(a, three), "b": on(b, three, continues="a")})
    expected += write(mirrored, three, *numbered("while it stands by ", 10))
    live.await_values(expected)
    scene.publish("orders", {"b": on(b, three, continues="a")})
    eventually("the hand-over is on record", live.begun, until=lambda text: '"formers"' in text, within=_CHANGE)
    expected += write(b, three, "on the mirror") + write(b, three, "on its other partition", partition=1)
    live.await_values(expected)
    write(a, three, "after the hand-over")
    expected += write(b, three, "last")
    live.await_values(expected)


@pytest.mark.parametrize("loss", ["fails", "is allowed"])
def test_a_topic_that_is_created_anew_while_a_batch_runs(
    loss: str, a: KafkaCluster, b: KafkaCluster, three: str, scene: Scene, live: LiveQuery
) -> None:
    scene.publish("orders", {"a": on(a, three), "b": on(b, three)})
    expected = write(a, three, *numbered("old", 5)) + write(b, three, "b0")
    live.start(reads(scene).fail_on_data_loss(loss == "fails").load()).await_values(expected)
    a.delete_topic(three)
    a.create_topic(three, partitions=2)
    new = write(a, three, *numbered("new", 9))
    if loss == "fails":
        eventually("the query fails", lambda: not live.query.isActive, within=60)
        failure = live.query.exception()
        assert failure is not None
        assert isinstance(find_error(failure), TopicRecreatedError)
        live.output.await_values(expected)
    else:
        live.await_values(expected := expected + new, within=60)
        live.await_values(expected + write(a, three, "new, too") + write(b, three, "b1"))


def test_credentials_change_while_a_batch_runs_also_where_kafka_knows_them_first(
    a: KafkaCluster,
    guarded: KafkaCluster,
    three: str,
    certificates: Certificates,
    source: Source,
    live: LiveQuery,
    tmp_path: Path,
) -> None:
    guarded.create_topic(three)
    service = Behind(a, guarded, three, certificates.text("broker.pem"))
    statuses = StatusFiles(tmp_path / "status")
    live.start(source(service, "orders").real_time_tasks(1).status_path(str(statuses.path)).load())
    expected = write(a, three, "a0") + write(guarded, three, "g0")
    live.await_values(expected)
    service.hold_the_next()
    guarded.set_password("reader", "second")
    # A login of the first password runs out within two seconds.
    statuses.await_cluster(str(live.query.id), "guarded", state="unavailable")
    live.await_values(expected := expected + write(a, three, "a1"))
    service.publish()
    service.release.set()
    live.await_values(expected + write(guarded, three, "g1"))
    guarded.set_password("reader", "given to nobody")
    eventually("the query fails", lambda: not live.query.isActive, within=60)
    failure = live.query.exception()
    assert failure is not None
    assert isinstance(find_error(failure), AuthenticationFailedError)


@pytest.mark.parametrize("how", ["limits", "ending offsets"])
def test_what_a_batch_without_an_end_cannot_keep_is_refused_at_the_start(
    how: str, a: KafkaCluster, three: str, scene: Scene, live: LiveQuery
) -> None:
    ended = on(a, three, ending=exact(three, {0: 5}))
    scene.publish("orders", {"a": ended if how == "ending offsets" else on(a, three)})
    read = reads(scene)
    if how == "limits":
        read = read.max_offsets_per_trigger(5).min_partitions(3).max_timestamp_skew("1m")
    live.start(read.load())
    with pytest.raises(Exception, match="Real-Time Mode") as refused:
        live.query.awaitTermination(60)
    text = str(refused.value)
    names = ["maxOffsetsPerTrigger", "minPartitions", "maxTimestampSkew"] if how == "limits" else ["INVALID_METADATA"]
    assert all(name in text for name in names), text
