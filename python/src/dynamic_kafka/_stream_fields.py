"""Checks a stream that is a dict like an entry of the YAML file. A problem names the field, as for the file."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from dynamic_kafka._checks import METADATA
from dynamic_kafka._offsets import offsets_text
from dynamic_kafka._redaction import ADDRESS

_STREAM = ("streamId", "clusterMetadataList")
_CLUSTER = ("bootstrapServers", "topics")
_OPTIONAL = ("clusterId", "properties", "startingOffsets", "endingOffsets", "active", "continues", "paused")


@dataclass(frozen=True)
class _Place:
    """The place of a value in the entry. Problems never show the value, which may be a secret."""

    stream: str = ""
    path: str = ""

    def __truediv__(self, key: str) -> _Place:
        return _Place(self.stream, f"{self.path}.{key}" if self.path else key)

    def __getitem__(self, index: int) -> _Place:
        return _Place(self.stream, f"{self.path}[{index}]")

    def __str__(self) -> str:
        stream = f"Stream {self.stream}" if self.stream else "The stream"
        return f"{stream}, field {self.path}" if self.path else stream

    def problem(self, text: str) -> Exception:
        return METADATA.value_error(f"{self}: {text}{'' if text.endswith('?') else '.'}")

    def expected(self, what: str, value: object) -> Exception:
        return METADATA.type_error(f"{self}: expected {what}, found {_kind(value)}.")


def stream_fields(value: object) -> tuple[str, dict[str, dict[str, Any]]]:
    """The stream's id, and by cluster id the arguments of its `ClusterMetadata`."""
    fields = _fields(value, _Place(), _STREAM, ())
    stream_id = _text(fields["streamId"], _Place() / "streamId")
    at = _Place(stream_id) / "clusterMetadataList"
    clusters: dict[str, dict[str, Any]] = {}
    for index, entry in enumerate(_list(fields["clusterMetadataList"], at)):
        cluster_id, arguments = _cluster(entry, at[index])
        if cluster_id in clusters:
            raise (at[index] / "clusterId").problem(f"the same clusterId {cluster_id} is already there")
        clusters[cluster_id] = arguments
    return stream_id, clusters


def _cluster(entry: object, at: _Place) -> tuple[str, dict[str, Any]]:
    fields = _fields(entry, at, _CLUSTER, _OPTIONAL)
    address = _text(fields["bootstrapServers"], at / "bootstrapServers")
    cluster_id = _text(fields["clusterId"], at / "clusterId") if "clusterId" in fields else address
    if "clusterId" not in fields:
        warnings.warn(f"{at}: there is no clusterId, so the cluster's id is its address {address}.", stacklevel=4)
    if not _flag(fields.get("active", True), at / "active"):
        raise (at / "active").problem(
            "a stream can't set this. Use is_cluster_active of the metadata service, or deactivate of an "
            "InMemoryMetadataService"
        )
    arguments: dict[str, Any] = {
        "topics": _texts(fields["topics"], at / "topics", "topic"),
        "properties": _properties(fields.get("properties", {}), at / "properties"),
        "bootstrap_servers": address,
    }
    for field, name in (("startingOffsets", "starting_offsets"), ("endingOffsets", "ending_offsets")):
        if field in fields:
            arguments[name] = offsets_text(METADATA, str(at / field), fields[field])
    if "continues" in fields:
        arguments["continues"] = _continues(fields["continues"], at / "continues", cluster_id)
    if "paused" in fields:
        paused = fields["paused"]
        arguments["paused"] = paused if isinstance(paused, bool) else _texts(paused, at / "paused", "topic")
    return cluster_id, arguments


def _fields(value: object, at: _Place, required: Collection[str], optional: Collection[str]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise at.expected("a mapping", value)
    allowed = [*required, *optional]
    for field in value:
        if field not in allowed:
            near = difflib.get_close_matches(str(field), allowed, n=1)
            instead = f"did you mean {near[0]}?" if near else f"allowed are {', '.join(allowed)}"
            raise (at / str(field)).problem(f"there is no such field; {instead}")
    for field in required:
        if field not in value:
            raise (at / field).problem("it is missing")
    return dict(value)


def _text(value: object, at: _Place) -> str:
    if not isinstance(value, str):
        raise at.expected("text", value)
    if not value.strip():
        raise at.problem("it is empty")
    return value


def _flag(value: object, at: _Place) -> bool:
    if not isinstance(value, bool):
        raise at.expected("true or false", value)
    return value


def _list(value: object, at: _Place) -> Collection[object]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Collection):
        raise at.expected("a list", value)
    return value


def _texts(value: object, at: _Place, what: str) -> frozenset[str]:
    found: set[str] = set()
    for index, one in enumerate(_list(value, at)):
        text = _text(one, at[index])
        if text in found:
            raise at[index].problem(f"the same {what} {text} is already there")
        found.add(text)
    return frozenset(found)


def _properties(value: object, at: _Place) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise at.expected("a mapping", value)
    found: dict[str, str] = {}
    for key, own in value.items():
        name = _text(key, at)
        if name == ADDRESS:
            raise (at / name).problem("write the address as bootstrapServers")
        if not isinstance(own, (str, bool, int, float)):
            raise (at / name).expected("text, a number or a boolean", own)
        found[name] = METADATA.scalar(name, own)
    return found


def _continues(value: object, at: _Place, own: str) -> frozenset[str]:
    ids = frozenset({_text(value, at)}) if isinstance(value, str) else _texts(value, at, "id")
    if own in ids:
        raise at.problem("a cluster can't continue itself: name only its earlier ids")
    return ids


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "a boolean"
    kinds = {str: "text", int: "a number", float: "a number", Mapping: "a mapping", Collection: "a list"}
    return next((name for kind, name in kinds.items() if isinstance(value, kind)), type(value).__name__)
