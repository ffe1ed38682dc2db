"""Metadata services that a test changes while queries run."""

import json
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
from dynamic_kafka.testing._listing import entries, replace_file

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
        listed = (KafkaStream(stream_id, clusters) for stream_id, clusters in streams.items())
        self.write(yaml.safe_dump(entries(listed, inactive)))

    def write(self, text: str) -> None:
        """Puts a file with this text in the place of the one that is there."""
        replace_file(self.path, text)
