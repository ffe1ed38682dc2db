"""What tests write into Kafka."""

from collections.abc import Iterable
from dataclasses import dataclass

Bytes = bytes | str | None


@dataclass(frozen=True, slots=True)
class Record:
    """One record; text is written as UTF-8. Kafka chooses the partition and the time (ms) where none is given."""

    key: Bytes
    value: Bytes
    headers: tuple[tuple[str, bytes | None], ...] = ()
    timestamp_ms: int | None = None
    partition: int | None = None


def as_records(records: Iterable[Record | tuple[Bytes, Bytes]]) -> Iterable[Record]:
    """The same, with each plain ``(key, value)`` as a record."""
    return (record if isinstance(record, Record) else Record(*record) for record in records)
