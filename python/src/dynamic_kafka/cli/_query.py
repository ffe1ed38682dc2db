"""What commands that ask the jar have in common: arguments, and the options of the query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from dynamic_kafka.errors import InvalidOptionError

TIMEOUT = "10s"

OptionOption = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="KEY=VALUE", help="An option of the query, by its name. May come again."),
]
TimeoutOption = Annotated[str, typer.Option(help="How long each cluster may take to answer, such as 10s or 500ms.")]
ConnectOption = Annotated[bool, typer.Option("--connect", help="Asks the clusters.")]


def query(options: Sequence[str] | None, timeout: str) -> dict[str, Any]:
    """These arguments, for a request. Raises `InvalidOptionError`."""
    return {"options": pairs(options), "timeout": timeout}


def pairs(options: Sequence[str] | None) -> dict[str, str]:
    """The options of the query. Raises `InvalidOptionError`."""
    named: dict[str, str] = {}
    for pair in options or ():
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise InvalidOptionError(f"--option {pair} is not KEY=VALUE, such as removedClusterPolicy=stop.")
        named[key] = value
    return named
