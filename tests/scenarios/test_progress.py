"""What a query reports of itself, as it changes on real brokers: how late it is, why, and what will be lost."""

import time
from collections.abc import Callable

import pytest
from dynamic_kafka import ClusterMetadata, KafkaStream

from tests.cluster import KafkaCluster, Record, eventually
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import ProgramListing, Scripted, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog

HOUR_MS = 3600 * 1000
BEHIND = ("minOffsetsBehindLatest", "avgOffsetsBehindLatest", "maxOffsetsBehindLatest")


@pytest.fixture
def listed(program: ProgramListing, a: KafkaCluster, b: KafkaCluster, topic: str) -> Callable[..., None]:
    """Lists the topic on a and b, but for what is given otherwise."""

    def publish(**others: ClusterMetadata) -> None:
        program.publish("orders", {"a": on(a, topic), "b": on(b, topic), **others})

    publish()
    return publish


def number(seen: str | None) -> float:
    """A figure; one that is not there is below all others."""
    return -1 if seen is None else float(seen)


def rises(running: Running, name: str) -> None:
    """Waits until a metric, which is there, has become larger."""
    before = number(running.metrics().get(name))
    assert before >= 0, running.metrics()
    running.await_metric(name, lambda seen: number(seen) > before)


def test_a_backlog_shows_its_age_and_how_long_it_takes_and_both_end_with_it(
    a: KafkaCluster, topic: str, scene: Scene
) -> None:
    written = int(time.time() * 1000) - HOUR_MS
    values = numbered("old ", 120)
    a.produce(topic, [Record(None, value, timestamp_ms=written) for value in values])
    scene.publish("orders", {"a": on(a, topic)})
    read = scene.read("orders").max_offsets_per_trigger(3)
    running = scene.start(read.load(), processingTime="300 milliseconds")
    lag = running.await_metric("cluster.a.timeLag", lambda seen: number(seen) >= HOUR_MS)
    running.await_metric("currentEmitEventTimeLag", lambda seen: number(seen) >= HOUR_MS)
    running.await_metric("cluster.a.recordsPerSecond", lambda seen: number(seen) > 0)
    shown = running.metrics()
    least, mean, most = (number(shown[name]) for name in BEHIND)
    assert 0 < least == mean == most < 300
    assert running.metrics()["activeSplitCount"] == "1"
    assert number(lag) < 2 * HOUR_MS
    seconds = running.await_metric("cluster.a.secondsToCatchUp", lambda seen: number(seen) > 0)
    assert number(seconds) < 600
    running.await_values(values)
    for metric in ("cluster.a.timeLag", "cluster.a.secondsToCatchUp", "pendingRecords", *BEHIND):
        running.await_metric(metric, lambda seen: number(seen) == 0)
    running.await_metric("cluster.a.recordsPerSecond", lambda seen: seen == "0.0")
    running.await_metric("sourceIdleTime", lambda seen: number(seen) > 500)
    running.await_values(values + write(a, topic, "new"))
    running.await_metric("currentEmitEventTimeLag", lambda seen: 0 <= number(seen) < HOUR_MS)


def test_the_age_of_what_is_not_read_rises_while_paused_and_while_dead_and_is_gone_with_the_cluster(
    a: KafkaCluster, b: KafkaCluster, topic: str, listed: Callable[..., None], scene: Scene
) -> None:
    running = scene.start(scene.read("orders").cluster_request_timeout("3s").load())
    expected = write(a, topic, "a1") + write(b, topic, "b1")
    running.await_values(expected)
    running.await_metric("cluster.b.timeLag", lambda seen: seen == "0")
    listed(b=on(b, topic, paused=True))
    running.await_state("b", "paused")
    running.await_answers()
    late = write(b, topic, "b2")
    running.await_metric("cluster.b.timeLag", lambda seen: number(seen) > 0)
    rises(running, "cluster.b.timeLag")
    assert "cluster.b.secondsToCatchUp" not in running.metrics()
    b.kill()
    running.await_metric("cluster.b.cause", lambda seen: "CLUSTER_UNREACHABLE" in (seen or ""))
    rises(running, "cluster.b.timeLag")
    assert running.metrics()["cluster.a.timeLag"] == "0"
    b.start()
    # Read before its leaders are back, it would end this query, whose policy is to fail.
    running.await_metric("cluster.b.cause", lambda seen: seen is None)
    listed()
    expected += late
    running.await_values(expected)
    running.await_metric("cluster.b.timeLag", lambda seen: seen == "0")
    scene.publish("orders", {"a": on(a, topic)})
    running.await_state("b", None)
    assert [name for name in running.metrics() if name.startswith("cluster.b.")] == []
    assert "vanished=b" in running.metrics()["lastTopologyChange"]
    assert running.metrics()["kafkaClustersCount"] == "1"


def test_the_last_error_of_the_metadata_is_shown_without_secrets_and_each_mistake_is_logged(
    a: KafkaCluster, topic: str, queries: Queries, source: Source, log: SessionLog
) -> None:
    scripted = Scripted()
    secret = {"ssl.key.password": "pass-phrase-of-a-key"}
    scripted.put(KafkaStream("orders", {"a": ClusterMetadata([topic], {**a.properties(), **secret})}))
    running = queries.start(source(scripted, "orders").load())
    running.await_values(write(a, topic, "begun"))
    assert "metadataLastError" not in running.metrics()

    def fails(text: str) -> Callable[[], None]:
        def act() -> None:
            raise RuntimeError(text)

        return act

    scripted.act = fails("the table is locked, says pass-phrase-of-a-key")
    shown = running.await_metric("metadataLastError", lambda seen: "the table is locked" in (seen or ""))
    assert shown.startswith("[DYNAMIC_KAFKA_METADATA_UNAVAILABLE]")
    assert "pass-phrase" not in shown
    running.await_metric("metadataAge", lambda seen: number(seen) > 1500)
    assert log.lines("could not be fetched.*pass-phrase") == []
    first = log.await_line(f"WARN .*the table is locked.* query={running.query.id}")
    scripted.act = fails("the table is gone")
    running.await_metric("metadataLastError", lambda seen: "the table is gone" in (seen or ""))
    second = log.await_line("WARN .*could not be fetched.*the table is gone")
    assert first != second
    assert len(log.lines("WARN .*could not be fetched.*the table is gone")) == 1
    scripted.act = lambda: None
    running.await_metric("metadataLastError", lambda seen: seen is None)
    running.await_metric("metadataAge", lambda seen: 0 <= number(seen) < 1500)
    log.await_line(f"WARN .*The metadata can be fetched again.* lastGood=2.* query={running.query.id}")
    assert len(log.lines(f"The metadata can be fetched again.* query={running.query.id}")) == 1


def test_topics_that_are_missing_are_named_until_they_are_there(
    a: KafkaCluster, topic: str, scene: Scene, fresh_name: Name
) -> None:
    later = fresh_name("later")
    scene.publish("orders", {"a": on(a, topic, later)})
    running = scene.start(scene.read("orders").load())
    running.await_metric("missingTopicNames", lambda seen: seen == f"a: {later}")
    assert running.metrics()["missingTopics"] == "1"
    assert later in running.metrics()["cluster.a.cause"]
    a.create_topic(later)
    for metric in ("missingTopicNames", "cluster.a.cause"):
        running.await_metric(metric, lambda seen: seen is None)
    running.await_values(write(a, later, "there"))


def deletes(running: Running, cluster: KafkaCluster, topic: str, before: int) -> None:
    """Deletes up to there, as retention does, and waits until the query has seen it."""
    cluster.delete_records(topic, {0: before})
    running.await_answers()


def test_a_warning_comes_before_retention_takes_what_is_held_and_none_for_what_is_read_behind_it(
    a: KafkaCluster, b: KafkaCluster, topic: str, listed: Callable[..., None], scene: Scene, log: SessionLog
) -> None:
    running = scene.start(scene.read("orders").load())
    expected = write(a, topic, *numbered("a", 100)) + write(b, topic, *numbered("b", 100))
    running.await_values(expected)
    listed(b=on(b, topic, paused=True))
    running.await_state("b", "paused")
    late = write(b, topic, *numbered("late ", 10))
    running.await_metric("cluster.b.pendingRecords", lambda seen: seen == "10")
    for step in range(1, 5):
        # Of a everything is read, and its oldest record stays right behind the position.
        deletes(running, a, topic, 96 + step)
        deletes(running, b, topic, 10 * step)
        expected += write(a, topic, f"more {step}")
        running.await_among(expected)
    running.await_metric("cluster.b.secondsToRetention", lambda seen: 0 <= number(seen) < 3600)
    cause = running.await_metric("cluster.b.cause", lambda seen: "DYNAMIC_KAFKA_DATA_LOSS" in (seen or ""))
    assert f"topic {topic} of cluster b" in cause
    warning = log.await_line(f"WARN .*retention is about to delete records of topic {topic} of cluster b")
    assert f"query={running.query.id}" in warning
    assert "cluster.a.secondsToRetention" not in running.metrics()
    assert "cluster.a.cause" not in running.metrics()
    assert log.lines(f"retention is about to delete records of topic {topic} of cluster a") == []
    listed()
    running.await_values(expected + late)
    for metric in ("secondsToRetention", "cause"):
        running.await_metric(f"cluster.b.{metric}", lambda seen: seen is None)


def test_log_lines_name_the_query(a: KafkaCluster, topic: str, scene: Scene, log: SessionLog, fresh_name: Name) -> None:
    name = fresh_name("named query")
    scene.publish("orders", {"a": on(a, topic)})
    frame = scene.read("orders").load()
    query = frame.writeStream.queryName(name).format("noop").start()
    try:
        log.await_line(f"topology appeared=a .*clusters=1 query={name}")
        log.await_line(f"cluster began cluster=a .*query={name}")
        eventually("there is progress", lambda: query.lastProgress is not None, within=40)
    finally:
        query.stop()
