"""A stream comes to clusters, topics and partitions, and leaves them, while its query runs."""

import time

import pytest

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import Listing, on
from tests.scenarios.producing import IdProducer, numbered, write
from tests.scenarios.queries import Queries
from tests.scenarios.scene import Scene

pytestmark = pytest.mark.wire


def test_a_stream_moves_from_a_to_a_and_b_to_b_with_every_id_once(
    listing: Listing, a: KafkaCluster, b: KafkaCluster, queries: Queries, source: Source, fresh_name: Name
) -> None:
    stream, topic = fresh_name("moving"), fresh_name("ids")
    a.create_topic(topic, partitions=2)
    b.create_topic(topic, partitions=3)
    listing.publish(stream, {"a": on(a, topic)})
    running = queries.start(source(listing.service, stream).load())
    with IdProducer((a, topic)) as ids:
        eventually("ids come from a", running.rows, within=40)
        listing.publish(stream, {"a": on(a, topic), "b": on(b, topic)})
        ids.move((a, topic), (b, topic))
        eventually("ids come from b", lambda: [r for r in running.rows() if r["cluster"] == "b"], within=40)
        ids.move((b, topic))
        listing.publish(stream, {"b": on(b, topic)})
        running.await_state("a", None)
        ids.await_more(20)
    running.await_values(ids.written())
    assert {row["stream"] for row in running.rows()} == {stream}


def test_topics_of_one_name_and_ids_of_any_characters_that_would_collide_when_joined_stay_apart(
    a: KafkaCluster,
    b: KafkaCluster,
    c: KafkaCluster,
    listing: Listing,
    queries: Queries,
    source: Source,
    fresh_name: Name,
) -> None:
    stream, end = fresh_name('or,d"ers ✓'), fresh_name("c")
    # The first two are the same once joined.
    places = {"a": (a, f"b-{end}"), "a-b": (b, end), 'e u/1.":{}é': (c, end)}
    expected: list[str] = []
    for cluster_id, (cluster, topic) in places.items():
        cluster.create_topic(topic)
        expected += write(cluster, topic, *numbered(f"from {cluster_id} ", 50))
    listing.publish(stream, {cluster_id: on(cluster, topic) for cluster_id, (cluster, topic) in places.items()})
    running = queries.start(source(listing.service, stream).load())
    running.await_values(expected)
    for cluster_id, (cluster, topic) in places.items():
        expected += write(cluster, topic, f"from {cluster_id} later")
    running.await_values(expected)
    for cluster_id, (_, topic) in places.items():
        rows = [row for row in running.rows() if row["cluster"] == cluster_id]
        assert all(bytes(row["value"]).decode().startswith(f"from {cluster_id} ") for row in rows)
        assert [row["offset"] for row in rows] == list(range(51))
        assert {(row["topic"], row["stream"]) for row in rows} == {(topic, stream)}


def test_a_cluster_a_topic_and_a_partition_that_come_live_are_read_from_their_beginning(
    a: KafkaCluster, b: KafkaCluster, scene: Scene, fresh_name: Name
) -> None:
    stream, first, second = fresh_name("growing"), fresh_name("first"), fresh_name("second")
    for cluster, topic in ((a, first), (a, second), (b, first)):
        cluster.create_topic(topic)
    scene.publish(stream, {"a": on(a, first)})
    # Even of a query that starts at the latest offsets.
    running = scene.start(scene.read(stream).starting_offsets("latest").load())
    running.await_state("a", "reading")
    expected = write(a, second, "before the topic was listed") + write(b, first, "before the cluster was listed")
    scene.publish(stream, {"a": on(a, first, second)})
    running.await_values(expected[:1])
    scene.publish(stream, {"a": on(a, first, second), "b": on(b, first)})
    running.await_values(expected)
    a.add_partitions(first, 2)
    expected += write(a, first, "in the new partition", partition=1)
    running.await_values(expected)


def test_a_topology_is_followed_within_the_discovery_interval(
    a: KafkaCluster, b: KafkaCluster, scene: Scene, fresh_name: Name
) -> None:
    stream, topic = fresh_name("prompt"), fresh_name("topic")
    for cluster in (a, b):
        cluster.create_topic(topic)
        write(cluster, topic, cluster.name)
    scene.publish(stream, {"a": on(a, topic)})
    running = scene.start(scene.read(stream).metadata_discovery_interval("2s").load())
    running.await_values(["a"])
    began = time.monotonic()
    scene.publish(stream, {"a": on(a, topic), "b": on(b, topic)})
    running.await_values(["a", "b"])
    # By the default interval it would be nearly 30 s; the rest is for a busy machine.
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("what", ["cluster", "topic"])
def test_what_is_removed_under_stop_stops_and_resumes_exactly_there(
    what: str, a: KafkaCluster, b: KafkaCluster, scene: Scene, fresh_name: Name
) -> None:
    stream, kept, removed = fresh_name("stopping"), fresh_name("kept"), fresh_name("removed")
    leaving = a if what == "topic" else b
    a.create_topic(kept)
    leaving.create_topic(removed)
    few = {"a": on(a, kept)}
    all_ = {"a": on(a, kept, removed)} if what == "topic" else {"a": on(a, kept), "b": on(b, removed)}
    scene.publish(stream, all_)
    running = scene.start(scene.read(stream).removed_cluster_policy("stop").load())
    expected = write(leaving, removed, "1", "2")
    running.await_values(expected)
    scene.publish(stream, few)
    running.await_metric("activeSplitCount", lambda seen: seen == "1")
    missed = write(leaving, removed, "3", "4")
    expected += write(a, kept, "meanwhile")
    running.await_values(expected)
    scene.publish(stream, all_)
    running.await_values(expected + missed)


def test_a_removed_cluster_drains_to_the_end_it_had_and_resumes_exactly_there(
    a: KafkaCluster, b: KafkaCluster, scene: Scene, topic: str
) -> None:
    backlog = write(b, topic, *numbered("backlog ", 60))
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    running = scene.start(scene.read("orders").max_offsets_per_trigger(4).load())
    eventually("the backlog is being read", running.rows, within=40)
    scene.publish("orders", {"a": on(a, topic)})
    running.await_state("b", "draining")
    after = write(b, topic, *numbered("after the removal ", 5))
    running.await_values(backlog)
    running.await_state("b", None)
    expected = backlog + write(a, topic, "meanwhile")
    running.await_values(expected)
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    running.await_values(expected + after)
