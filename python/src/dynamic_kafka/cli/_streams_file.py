"""The YAML file of streams, as far as a command without Java needs it: which clusters there are, and their topics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from dynamic_kafka._metadata import ClusterMetadata, KafkaStream
from dynamic_kafka.errors import InvalidMetadataError


def read_streams(path: Path) -> list[KafkaStream]:
    """The streams of a file, without properties. Raises `InvalidMetadataError`; the query itself checks every field."""
    try:
        # Every scalar stays the text that it is: `007` and `no` may be names.
        listed = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - makes texts alone
    except OSError as failure:
        raise InvalidMetadataError(f"{path} can't be read: {failure.strerror}.") from failure
    except (UnicodeDecodeError, yaml.YAMLError) as failure:
        raise InvalidMetadataError(f"{path} is not valid YAML: {failure}") from failure
    if not isinstance(listed, list):
        raise InvalidMetadataError(f"{path} is not a list of streams, each with streamId and clusterMetadataList.")
    return [KafkaStream(_text(path, one, "streamId"), dict(_clusters(path, one))) for one in listed]


def _clusters(path: Path, stream: Any) -> Iterator[tuple[str, ClusterMetadata]]:
    for cluster in stream.get("clusterMetadataList") or ():
        address = _text(path, cluster, "bootstrapServers")
        topics = cluster.get("topics") or ()
        # Without an id the address is the name, as for the query.
        yield str(cluster.get("clusterId", address)), ClusterMetadata(topics, bootstrap_servers=address)


def _text(path: Path, entry: Any, field: str) -> str:
    if not isinstance(entry, dict) or not isinstance(entry.get(field), str):
        raise InvalidMetadataError(f"{path}: an entry has no text {field}. docs/metadata.md has all fields.")
    return str(entry[field])
