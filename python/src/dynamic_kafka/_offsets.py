"""Starting and ending offsets as Python values, and as the text that the JVM reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

from dynamic_kafka._checks import Checks

OffsetLevel: TypeAlias = "str | int | Mapping[str, OffsetLevel] | Mapping[int, OffsetLevel]"
Offsets: TypeAlias = "str | Mapping[str, OffsetLevel]"
"""`earliest`, `latest`, JSON text, or a mapping of the shape that the YAML file has, such as
`{"orders": {0: 1200, 1: "latest"}}` or `{"timestamp": 1700000000000}`."""

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
            level[text] = _level(checks, f"{name}.{text}", below)
        return level
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise checks.wrong_type(name, value, "a str, an int or a mapping")


def _key(checks: Checks, name: str, key: object) -> str:
    if isinstance(key, str):
        return key
    # Partitions are numbers in Python, and text in JSON.
    return checks.count(f"A key of {name}", key)
