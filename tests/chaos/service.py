"""A metadata service such as a user writes it in Python: it reads the metadata file, and is in trouble at times."""

import threading
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import yaml
from dynamic_kafka import ClusterMetadata, KafkaStream, MetadataService

_LOOK = 0.05


class FileReader(MetadataService):
    """``trouble`` is a file that says, while it is there, how asking fails: ``raises``, ``hangs`` or ``wrong``."""

    def __init__(self, path: Path, trouble: Path) -> None:
        self._path = path
        self._trouble = trouble
        self._closed = threading.Event()

    def all_streams(self) -> Collection[KafkaStream]:
        return self._streams().values()

    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        how = self._how()
        if how == "raises":
            raise ConnectionError("the registry does not answer")
        while self._how() == "hangs" and not self._closed.wait(_LOOK):
            pass
        found = {stream_id: stream for stream_id, stream in self._streams().items() if stream_id in stream_ids}
        nonsense: Any = dict.fromkeys(found, "no stream")
        return nonsense if how == "wrong" else found

    def is_cluster_active(self, cluster_id: str) -> bool:
        entries = [entry for stream in self._entries() for entry in stream["clusterMetadataList"]]
        return any(entry["clusterId"] == cluster_id and entry.get("active", True) for entry in entries)

    def close(self) -> None:
        self._closed.set()

    def _how(self) -> str:
        try:
            return self._trouble.read_text()
        except FileNotFoundError:
            return ""

    def _entries(self) -> list[dict[str, Any]]:
        return list(yaml.safe_load(self._path.read_text()))

    def _streams(self) -> dict[str, KafkaStream]:
        return {
            stream["streamId"]: KafkaStream(
                stream["streamId"], {entry["clusterId"]: _cluster(entry) for entry in stream["clusterMetadataList"]}
            )
            for stream in self._entries()
        }


def _cluster(entry: Mapping[str, Any]) -> ClusterMetadata:
    properties = {**entry.get("properties", {}), "bootstrap.servers": entry["bootstrapServers"]}
    return ClusterMetadata(
        entry["topics"],
        properties,
        starting_offsets=entry.get("startingOffsets"),
        continues=entry.get("continues"),
        paused=entry.get("paused", False),
    )
