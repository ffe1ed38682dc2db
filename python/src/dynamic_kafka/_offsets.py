"""Starting and ending offsets as Python values, and as the text that the JVM reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import TypeAlias

from dynamic_kafka._checks import Checks

OffsetLevel: TypeAlias = "str | int | datetime | Mapping[str, OffsetLevel] | Mapping[int, OffsetLevel]"
"""What stands under one key of such a mapping. A datetime has a time zone, and the key `timestamp`."""
Offsets: TypeAlias = "str | Mapping[str, OffsetLevel]"
"""`earliest`, `latest`, JSON text, or a mapping of the shape that the YAML file has, such as
`{"orders": {0: 1200, 1: "latest"}}` or `{"timestamp": "2026-01-01T00:00:00Z"}`. A time is ISO-8601 text with its offset
from UTC, a datetime with a time zone, or milliseconds since 1970."""

_TIME = "timestamp"
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

OTHER_CLUSTERS = ""
"""The key for all clusters that are not named. No cluster has an empty id."""


def offsets_text(checks: Checks, name: str, value: object) -> str:
    """A str unchanged, a mapping as canonical JSON. The JVM checks the meaning."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise checks.wrong_type(name, value, "a str or a mapping")
    return json.dumps(_level(checks, name, value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _level(checks: Checks, name: str, value: object) -> object:
    if isinstance(value, Mapping):
        level: dict[str, object] = {}
        for key, below in value.items():
            text = _key(checks, name, key)
            if text in level:
                raise checks.value_error(f"{name} names {text} twice, as a number and as text.")
            below_name = f"{name}.{text}"
            if text == _TIME and isinstance(below, datetime):
                level[text] = _milliseconds(checks, below_name, below)
            else:
                level[text] = _level(checks, below_name, below)
        return level
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, datetime):
        raise checks.wrong_type(name, value, 'a time as {"timestamp": ...}')
    raise checks.wrong_type(name, value, "a str, an int or a mapping")


def _milliseconds(checks: Checks, name: str, time: datetime) -> int:
    """Rounded up, so that the records at or after the time stay the same."""
    if time.utcoffset() is None:
        raise checks.value_error(
            f"{name} is {time.isoformat()}, a datetime without a time zone; write one with it, such as "
            f"datetime({time.year}, {time.month}, {time.day}, tzinfo=timezone.utc)."
        )
    return -((_EPOCH - time) // timedelta(milliseconds=1))


def _key(checks: Checks, name: str, key: object) -> str:
    if isinstance(key, str):
        return key
    # Partitions are numbers in Python, and text in JSON.
    return checks.count(f"A key of {name}", key)
