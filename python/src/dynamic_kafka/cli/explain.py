"""`dynamic-kafka explain CONDITION`: what stands in square brackets, and what to do about it."""

from __future__ import annotations

import json
from difflib import get_close_matches
from importlib import resources
from typing import Annotated

import typer

from dynamic_kafka.cli._output import ExitCode, JsonOption, print_json, result, table_of
from dynamic_kafka.errors import InvalidOptionError

ConditionArgument = Annotated[
    str | None,
    typer.Argument(metavar="CONDITION", help="Such as DYNAMIC_KAFKA_DATA_LOSS, or DATA_LOSS. Without it: the list."),
]

_PREFIX = "DYNAMIC_KAFKA_"
_NEAREST = 3
Texts = dict[str, str]


def explain(condition: ConditionArgument = None, *, as_json: JsonOption = False) -> None:
    """Says what an error or a warning means, and what to do.

    It needs no network, no Java and no query.
    """
    known = conditions()
    found = list(known.values()) if condition is None else known[_named(condition, known)]
    if as_json:
        print_json(found, indent=2)
    elif isinstance(found, list):
        _show_list(found)
    else:
        _show(found)
    raise typer.Exit(ExitCode.GOOD)


def conditions() -> dict[str, Texts]:
    """By name. The texts are those of docs/reference/errors.md."""
    listed: list[Texts] = json.loads(resources.files("dynamic_kafka").joinpath("_conditions.json").read_text("utf-8"))
    return {one["condition"]: one for one in listed}


def _named(given: str, known: dict[str, Texts]) -> str:
    short = given.strip(" []:").upper().replace("-", "_").removeprefix(_PREFIX)
    name = f"{_PREFIX}{short}"
    if name not in known:
        near = get_close_matches(short, [one.removeprefix(_PREFIX) for one in known], _NEAREST, cutoff=0.5)
        nearest = f" The nearest: {', '.join(near)}." if near else ""
        raise InvalidOptionError(f"There is no condition {given}.{nearest} `dynamic-kafka explain` lists all.")
    return name


def _show(texts: Texts) -> None:
    out = result()
    parts = (texts["condition"], texts["when"], f"Do: {texts['do']}", f"Python: {texts['python']}")
    out.print("\n\n".join(parts), soft_wrap=not out.is_terminal)


def _show_list(listed: list[Texts]) -> None:
    table = table_of("Condition", "When it comes")
    for texts in listed:
        table.add_row(texts["condition"].removeprefix(_PREFIX), texts["when"].partition(". ")[0].rstrip(".") + ".")
    result().print(table)
