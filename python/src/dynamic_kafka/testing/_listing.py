"""A file of streams, written from values."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from dynamic_kafka._metadata import ClusterMetadata, KafkaStream


def entries(streams: Iterable[KafkaStream], inactive: Collection[str] = ()) -> list[dict[str, Any]]:
    """What a file that lists these streams holds, for a writer of YAML or JSON, which YAML includes.

    The clusters in ``inactive`` are listed as such.
    """
    return [
        {
            "streamId": stream.stream_id,
            "clusterMetadataList": [
                _entry(cluster_id, cluster) | ({"active": False} if cluster_id in inactive else {})
                for cluster_id, cluster in stream.clusters.items()
            ],
        }
        for stream in streams
    ]


def replace_file(path: Path, text: str) -> None:
    """Replaces a file by one with this text, as a whole: nobody reads half of it."""
    beside = path.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)  # noqa: PTH105 - this name says that it replaces


def _entry(cluster_id: str, cluster: ClusterMetadata) -> dict[str, Any]:
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
