"""Where the demo's stream is, in two ways: a YAML file, and a metadata service written in Python."""

import json
import threading
from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from dynamic_kafka import (
    ClusterMetadata,
    JvmMetadataService,
    KafkaStream,
    MetadataService,
    YamlFileMetadataService,
)
from tests.cluster import KafkaCluster


class Directory(Protocol):
    """What the demo needs of either."""

    @property
    def service(self) -> MetadataService | JvmMetadataService:
        """The metadata service of the query."""

    def move(self, *clusters: KafkaCluster) -> None:
        """From now on exactly these clusters carry the stream."""


class YamlDirectory:
    """A file that is always replaced as a whole, so that nobody reads half of it."""

    def __init__(self, stream: str, path: Path) -> None:
        self._stream = stream
        self._path = path
        self.service = YamlFileMetadataService(path)

    def move(self, *clusters: KafkaCluster) -> None:
        listed = "".join(self._entry(cluster) for cluster in clusters)
        text = f"- streamId: {self._stream}\n  clusterMetadataList:\n{listed}"
        draft = self._path.with_suffix(".new")
        draft.write_text(text)
        draft.replace(self._path)

    def _entry(self, cluster: KafkaCluster) -> str:
        return (
            f"    - clusterId: {cluster.name}\n"
            f"      bootstrapServers: {json.dumps(cluster.bootstrap_servers)}\n"
            f"      topics: [{self._stream}]\n"
        )


class PythonDirectory(MetadataService):
    """One stream that moves. Your own service would ask a registry or a database here."""

    def __init__(self, stream: str) -> None:
        self._lock = threading.Lock()
        self._stream = KafkaStream(stream, {})
        self._name = stream

    @property
    def service(self) -> MetadataService:
        return self

    def move(self, *clusters: KafkaCluster) -> None:
        listed = {cluster.name: ClusterMetadata([self._name], cluster.properties()) for cluster in clusters}
        with self._lock:
            self._stream = KafkaStream(self._name, listed)

    def all_streams(self) -> Collection[KafkaStream]:
        with self._lock:
            return [self._stream]
