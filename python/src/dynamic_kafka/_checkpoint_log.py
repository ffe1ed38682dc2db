"""Parses files of Spark's checkpoints: the offset log, the commit log, and the initial offsets of a Kafka source.

An entry of the offset log has a version, metadata, and the offset of each source: by number in version 1, by name in
version 2. Nothing in it says which brokers a source reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dynamic_kafka.errors import CheckpointError, OffsetVersionError

NEWEST_OFFSET_LOG = 2
NEWEST_COMMIT_LOG = 3
_NO_OFFSET = "-"


@dataclass(frozen=True, slots=True)
class LoggedBatch:
    """One entry of the offset log."""

    number: int
    version: int
    # By source, the text of its offset; none if the source had no offset yet.
    offsets: Mapping[str, str | None]
    watermark_ms: int
    # By source, the class or short name of its provider; only in version 2.
    providers: Mapping[str, str]
    # What a control batch does, such as a rewind; empty for all others.
    control: str


def parse_logged_batch(number: int, data: bytes) -> LoggedBatch:
    """Raises `CheckpointError`, which says what is wrong but does not name the file."""
    version, lines = _versioned(data, NEWEST_OFFSET_LOG)
    if len(lines) < 2:
        raise CheckpointError("It ends before the first source: the file is cut off.")
    metadata = json_object(lines[0], "the metadata in line 2") if lines[0].strip() else {}
    named = dict(_named(line) for line in lines[1:]) if version == 2 else dict(_numbered(lines[1:]))
    info = metadata.get("sourceMetadataInfo")
    control = metadata.get("controlBatchInfo")
    return LoggedBatch(
        number,
        version,
        MappingProxyType(named),
        _whole_number(metadata.get("batchWatermarkMs", 0)),
        MappingProxyType(_providers(info) if isinstance(info, dict) else {}),
        str(control.get("operationType", "unknown")) if isinstance(control, dict) else "",
    )


def parse_commit(data: bytes) -> int:
    """The watermark after a committed batch, in milliseconds. Raises `CheckpointError`."""
    _version, lines = _versioned(data, NEWEST_COMMIT_LOG)
    metadata = json_object(lines[0], "the metadata in line 2") if lines and lines[0].strip() else {}
    return _whole_number(metadata.get("nextBatchWatermarkMs", 0))


def parse_initial_offsets(data: bytes) -> str:
    """The text of the offsets where a Kafka source began. Raises `CheckpointError`."""
    # Spark writes a zero byte first, because Spark 2.1.0 expects it.
    _version, lines = _versioned(data.removeprefix(b"\0"), 1)
    if not lines:
        raise CheckpointError("It ends after its version: the file is cut off.")
    return lines[0]


def text_of(data: bytes) -> str:
    """The text that a file holds. Raises `CheckpointError`."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise CheckpointError("It is no text: the file is damaged.") from None


def json_object(text: str, what: str) -> dict[str, Any]:
    """The JSON object that a text is. Raises `CheckpointError`."""
    try:
        value = json.loads(text)
    except ValueError as failure:
        raise CheckpointError(f"{what} is no JSON ({failure}): the file is cut off or damaged.") from None
    if not isinstance(value, dict):
        raise CheckpointError(f"{what} is no JSON object.")
    return value


def _versioned(data: bytes, newest: int) -> tuple[int, list[str]]:
    """The version in the first line, and the other lines."""
    text = text_of(data)
    if not text.strip():
        raise CheckpointError("It is empty: the file is cut off.")
    # Not `splitlines`: it also splits at other characters, which the JSON may contain.
    first, *lines = text.removesuffix("\n").split("\n")
    digits = first.strip().removeprefix("v")
    if not first.startswith("v") or not (digits.isascii() and digits.isdecimal()) or int(digits) < 1:
        raise CheckpointError("It does not begin with a version such as v1: it is cut off, or not written by Spark.")
    if int(digits) > newest:
        raise OffsetVersionError(
            f"It has version {digits}; this release reads up to version {newest}. A newer Spark wrote it: take a newer "
            "release of dynamic-kafka-spark."
        )
    return int(digits), lines


def _numbered(lines: list[str]) -> list[tuple[str, str | None]]:
    return [(str(number), _offset(line)) for number, line in enumerate(lines)]


def _named(line: str) -> tuple[str, str | None]:
    name, colon, offset = line.partition(":")
    if not colon or not name:
        raise CheckpointError("A line has no name of a source before its offset: the file is cut off or damaged.")
    return name, _offset(offset)


def _offset(text: str) -> str | None:
    if not text.strip():
        raise CheckpointError("A source has an empty line: the file is cut off or damaged.")
    return None if text.strip() == _NO_OFFSET else text.strip()


def _providers(info: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(one.get("providerName", "")) for name, one in info.items() if isinstance(one, dict)}


def _whole_number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
