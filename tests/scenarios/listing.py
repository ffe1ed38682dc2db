"""Metadata services that a test changes while queries run."""

import json
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Protocol

import yaml
from dynamic_kafka import (
    ClusterMetadata,
    InMemoryMetadataService,
    JvmMetadataService,
    KafkaStream,
    MetadataService,
    YamlFileMetadataService,
)

from tests.cluster import KafkaCluster

Clusters = Mapping[str, ClusterMetadata]


def on(
    cluster: KafkaCluster,
    *topics: str,
    starting: str | None = None,
    ending: str | None = None,
    continues: str | Collection[str] | None = None,
    paused: bool | Collection[str] = False,
) -> ClusterMetadata:
    """These topics of a cluster, with what else is said of it."""
    return ClusterMetadata(
        topics,
        cluster.properties(),
        starting_offsets=starting,
        ending_offsets=ending,
        continues=continues,
        paused=paused,
    )


def exact(topic: str, offsets: Mapping[int, int]) -> str:
    """The offsets of a topic by partition, as a cluster's own starting or ending offsets."""
    return json.dumps({topic: {str(partition): offset for partition, offset in offsets.items()}})


class Listing(Protocol):
    """Says where streams live, in one way or another."""

    @property
    def service(self) -> MetadataService | JvmMetadataService: ...

    def publish(self, stream_id: str, clusters: Clusters) -> None:
        """This stream lives there from now on, and no other stream is known."""


class ProgramListing:
    """A service in Python."""

    def __init__(self) -> None:
        self.service = InMemoryMetadataService()

    def publish(self, stream_id: str, clusters: Clusters) -> None:
        for other in self.service.all_streams():
            if other.stream_id != stream_id:
                self.service.remove(other.stream_id)
        self.service.put(KafkaStream(stream_id, clusters))


class Scripted(InMemoryMetadataService):
    """Answers as ``act`` decides, which is called before each fetch and may raise, wait, or return an answer."""

    def __init__(self) -> None:
        super().__init__()
        self.act: Callable[[], Any] = lambda: None

    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        answer = self.act()
        return super().describe_streams(stream_ids) if answer is None else answer


class FileListing:
    """A YAML file, replaced as a careful writer does it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.service = YamlFileMetadataService(path)

    def publish(self, stream_id: str, clusters: Clusters) -> None:
        self.publish_all({stream_id: clusters})

    def publish_all(self, streams: Mapping[str, Clusters], inactive: Collection[str] = ()) -> None:
        """These streams are known from now on; the clusters named in ``inactive`` are listed as such."""
        self.write(yaml.safe_dump([_stream(stream_id, clusters, inactive) for stream_id, clusters in streams.items()]))

    def write(self, text: str) -> None:
        """Puts a file with this text in the place of the one that is there."""
        beside = self.path.with_suffix(".new")
        beside.write_text(text)
        os.replace(beside, self.path)  # noqa: PTH105 - of the two the one that says that it replaces


def _stream(stream_id: str, clusters: Clusters, inactive: Collection[str]) -> dict[str, Any]:
    entries = [
        _cluster(cluster_id, cluster) | ({"active": False} if cluster_id in inactive else {})
        for cluster_id, cluster in clusters.items()
    ]
    return {"streamId": stream_id, "clusterMetadataList": entries}


def _cluster(cluster_id: str, cluster: ClusterMetadata) -> dict[str, Any]:
    properties = dict(cluster.properties)
    entry: dict[str, Any] = {
        "clusterId": cluster_id,
        "bootstrapServers": properties.pop("bootstrap.servers"),
        "topics": sorted(cluster.topics),
    }
    if properties:
        entry["properties"] = properties
    if cluster.starting_offsets is not None:
        entry["startingOffsets"] = cluster.starting_offsets
    if cluster.ending_offsets is not None:
        entry["endingOffsets"] = cluster.ending_offsets
    if cluster.continues:
        # One id or a list of them: both forms are read.
        named = sorted(cluster.continues)
        entry["continues"] = named[0] if len(named) == 1 else named
    if cluster.paused:
        entry["paused"] = cluster.paused if cluster.paused is True else sorted(cluster.paused)
    return entry
