"""What tests write into Kafka."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

Bytes: TypeAlias = "bytes | str | None"


@dataclass(frozen=True, slots=True)
class Record:
    """A record to write. Text is written as UTF-8. Kafka chooses the partition and the time where none is
    given; a time of 0 counts as none.

    >>> Record("customer-1", '{"id": 7}', headers=(("trace", b"1"),), timestamp_ms=1_767_225_600_000, partition=0)
    Record(key='customer-1', value='{"id": 7}', headers=(('trace', b'1'),), timestamp_ms=1767225600000, partition=0)
    """

    key: Bytes
    value: Bytes
    headers: tuple[tuple[str, bytes | None], ...] = ()
    timestamp_ms: int | None = None
    partition: int | None = None


def as_records(records: Iterable[Record | tuple[Bytes, Bytes]]) -> Iterable[Record]:
    """The same, with each plain ``(key, value)`` as a record."""
    return (record if isinstance(record, Record) else Record(*record) for record in records)
