"""Metadata services of users' own: one that looks up what it is asked about, and one that just lists its streams."""

from collections.abc import Collection, Mapping

from dynamic_kafka import KafkaStream, MetadataService

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import Clusters, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries
from tests.scenarios.session_log import SessionLog


class Catalogue(MetadataService):
    """Knows what it lists, and raises for all else."""

    def __init__(self) -> None:
        self.streams: dict[str, KafkaStream] = {}

    def publish(self, stream_id: str, clusters: Clusters) -> None:
        self.streams = {stream_id: KafkaStream(stream_id, clusters)}

    def all_streams(self) -> Collection[KafkaStream]:
        return list(self.streams.values())

    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        return {stream_id: self.streams[stream_id] for stream_id in stream_ids}

    def is_cluster_active(self, cluster_id: str) -> bool:
        active = {name: True for stream in self.streams.values() for name in stream.clusters}
        return active[cluster_id]


class Listed(MetadataService):
    """Has the one method that it needs."""

    def __init__(self) -> None:
        self.streams: list[KafkaStream] = []

    def all_streams(self) -> Collection[KafkaStream]:
        return self.streams


def test_a_service_of_one_method_moves_a_stream(
    a: KafkaCluster, b: KafkaCluster, queries: Queries, source: Source, fresh_name: Name
) -> None:
    stream, topic, listed = fresh_name("listed"), fresh_name("topic"), Listed()
    for cluster in (a, b):
        cluster.create_topic(topic)
    listed.streams = [KafkaStream(stream, {"a": on(a, topic)})]
    running = queries.start(source(listed, stream).load())
    read = write(a, topic, "listed")
    running.await_values(read)
    listed.streams = [KafkaStream(stream, {"b": on(b, topic)})]
    running.await_state("a", None)
    running.await_values(read + write(b, topic, "goes on"))
    running.await_metric("metadataFailures", lambda seen: seen == "0")


def test_a_service_that_knows_no_more_than_it_lists_can_take_a_cluster_off(
    a: KafkaCluster, b: KafkaCluster, queries: Queries, source: Source, fresh_name: Name, log: SessionLog
) -> None:
    stream, topic, catalogue = fresh_name("looked-up"), fresh_name("topic"), Catalogue()
    for cluster in (a, b):
        cluster.create_topic(topic)
    catalogue.publish(stream, {"a": on(a, topic), "b": on(b, topic)})
    running = queries.start(source(catalogue, stream).load())
    read = write(b, topic, "listed")
    running.await_values(read)
    catalogue.publish(stream, {"a": on(a, topic)})
    log.await_line(f"drain ended cluster=b .*topic={topic}")
    running.await_state("b", None)
    running.await_values(read + write(a, topic, "goes on"))
    running.await_metric("metadataFailures", lambda seen: seen == "0")
