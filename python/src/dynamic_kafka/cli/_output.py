"""How commands print: the result on stdout, words about it on stderr, and with --json nothing but JSON on stdout."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from enum import IntEnum
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dynamic_kafka._error_help import help_of
from dynamic_kafka._redaction import printable
from dynamic_kafka.errors import DynamicKafkaError

_HALF = re.compile("[\ud800-\udfff]")
JsonOption = Annotated[bool, typer.Option("--json", help="Prints all of it as JSON, and nothing else.")]


class ExitCode(IntEnum):
    """The same for all commands."""

    GOOD = 0
    FOUND = 1
    COULD_NOT_LOOK = 2


def words() -> Console:
    """The console for texts. Created each time, because tests replace stderr."""
    return Console(stderr=True, highlight=False, markup=False)


def result() -> Console:
    """The console for what was asked for: stdout."""
    return Console(highlight=False, markup=False)


def table_of(*columns: str, right: Collection[str] = ()) -> Table:
    """A table in which a long name continues on the next line: half of an id names no cluster. `right` are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return table


def safe(text: str, style: str = "") -> Text:
    """A name, or a text with names, in one line: they may hold any character."""
    return Text(printable(text), style)


def say(label: str, text: str, style: str, out: Console | None = None) -> None:
    """A paragraph with a label before it: on stderr, unless `out` is given."""
    console = out or words()
    console.print(
        Text.assemble((f"{printable(label)}: ", style), printable(text, keep="\n")), soft_wrap=not console.is_terminal
    )


def print_json(value: Any, *, indent: int | None = None) -> None:
    """On stdout, without colours or breaks of a console: it is for programs, and for pasting."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, separators=separators, indent=indent)
    # An id may have half of a surrogate pair, which can't be printed. JSON has an escape for it.
    print(_HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text))


def fail(failure: DynamicKafkaError, *, as_json: bool) -> ExitCode:
    """Prints why nothing could be looked at."""
    if as_json:
        print_json({"error": {"condition": failure.condition, "message": failure.detail}}, indent=2)
    say(failure.condition, failure.detail, "bold red")
    if more := help_of(failure.condition):
        words().print(more)
    return ExitCode.COULD_NOT_LOOK
