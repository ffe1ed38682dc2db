"""What commands that ask the jar have in common: arguments, and the options of the query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from dynamic_kafka.errors import InvalidOptionError

TIMEOUT = "10s"
_DURATION = re.compile(r"(\d+)(ms|s|m)")
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000}

OptionOption = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="KEY=VALUE", help="An option of the query, by its name. May come again."),
]
TimeoutOption = Annotated[str, typer.Option(help="How long each cluster may take to answer, such as 10s or 500ms.")]
ConnectOption = Annotated[bool, typer.Option("--connect", help="Asks the clusters.")]


def query(options: Sequence[str] | None, timeout: str) -> dict[str, Any]:
    """These arguments, for a request. Raises `InvalidOptionError`."""
    duration = _DURATION.fullmatch(timeout)
    if duration is None or int(duration[1]) == 0:
        raise InvalidOptionError(f"--timeout {timeout} is no duration, such as 10s or 500ms.")
    return {"options": pairs(options), "timeoutMs": int(duration[1]) * _MILLISECONDS[duration[2]]}


def pairs(options: Sequence[str] | None) -> dict[str, str]:
    """The options of the query. Raises `InvalidOptionError`."""
    named: dict[str, str] = {}
    for pair in options or ():
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise InvalidOptionError(f"--option {pair} is not KEY=VALUE, such as removedClusterPolicy=stop.")
        named[key] = value
    return named
