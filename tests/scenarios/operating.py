"""The operator of a stream: edits its file, runs its query, and has ids written to it meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from dynamic_kafka import ClusterMetadata, DynamicKafkaSourceBuilder

from tests.cluster import KafkaCluster
from tests.cluster.mirror import Mirror
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import IdProducer
from tests.scenarios.queries import Queries, Running


class Operator:
    """One stream, which is a topic of the same name on each of its clusters."""

    def __init__(
        self,
        file: FileListing,
        queries: Queries,
        source: Callable[..., DynamicKafkaSourceBuilder],
        stream: str,
        topic: str,
    ) -> None:
        self.file = file
        self.stream = stream
        self.topic = topic
        self._queries = queries
        self._source = source

    def creates(self, *clusters: KafkaCluster, partitions: int = 2) -> None:
        """Creates the topic."""
        for cluster in clusters:
            cluster.create_topic(self.topic, partitions=partitions)

    def on(self, cluster: KafkaCluster, **fields: Any) -> ClusterMetadata:
        """The topic on a cluster, with what else is said of it, as ``listing.on`` takes it."""
        return on(cluster, self.topic, **fields)

    def lists(self, *clusters: KafkaCluster, inactive: Collection[str] = (), **others: ClusterMetadata) -> None:
        """Puts a file in place: the topic on these clusters under their own names, and whatever else is given."""
        listed = {cluster.name: self.on(cluster) for cluster in clusters} | others
        self.file.publish_all({self.stream: listed}, inactive)

    def lists_streams(self, **streams: Mapping[str, ClusterMetadata]) -> None:
        """Puts a file in place with these streams, none of which need be the one of this operator."""
        self.file.publish_all(streams)

    def writes_to(self, *clusters: KafkaCluster) -> list[tuple[KafkaCluster, str]]:
        """Where producers write that write to the topic on these clusters."""
        return [(cluster, self.topic) for cluster in clusters]

    def producing(self, *clusters: KafkaCluster) -> IdProducer:
        """Producers that write to the topic on these clusters."""
        return IdProducer(*self.writes_to(*clusters))

    def read(self, *stream_ids: str) -> DynamicKafkaSourceBuilder:
        """The read of the stream, or of others, from the earliest offsets."""
        return self._source(self.file.service, *(stream_ids or (self.stream,)))

    def read_chosen(self) -> DynamicKafkaSourceBuilder:
        """The same, with the choice of the streams left open."""
        return self._source(self.file.service)

    def starts(
        self, read: DynamicKafkaSourceBuilder | None = None, *, after: Running | None = None, **trigger: Any
    ) -> Running:
        """Starts the query; ``after`` is the one that it goes on from."""
        return self._queries.start((read or self.read()).load(), after=after, **trigger)


def finishes(mirror: Mirror, running: Running) -> None:
    """Nobody writes to the old cluster any more: the mirror gets the rest, the query sees it, and mirroring ends."""
    mirror.await_caught_up()
    mirror.stop()
    running.await_answers()
