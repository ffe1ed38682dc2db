"""`dynamic-kafka status PATH`: the state of all queries that write their status into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from dynamic_kafka._redaction import printable
from dynamic_kafka._status import AnyStatus, QueryStatus, UnreadableStatus, read_statuses
from dynamic_kafka.cli._output import ExitCode, JsonOption, print_json, result, safe, table_of
from dynamic_kafka.cli._status_texts import age, count, findings, news, state_of, summary

PathArgument = Annotated[
    str,
    typer.Argument(
        metavar="PATH", help="The folder that the queries' option statusPath names: local, or a URL that fsspec reads."
    ),
]

# A longer name continues on the next line.
_NAME = 28


def status(path: PathArgument, *, as_json: JsonOption = False) -> None:
    """Shows all queries of a folder, the worst first.

    State, cause, records not read yet, and the age of the file. Exit code 1: a query failed, is silent,
    refuses its metadata, or has a cluster that it does not read as it should.
    """
    now = datetime.now(timezone.utc)
    found = sorted(read_statuses(path), key=lambda one: _rank(one, now))
    if as_json:
        print_json([_report(one, now) for one in found], indent=2)
    else:
        _show(found, now)
    raise typer.Exit(_code(found, now))


def _code(found: Sequence[AnyStatus], now: datetime) -> ExitCode:
    if any(_trouble(one, now) for one in found):
        return ExitCode.FOUND
    return ExitCode.COULD_NOT_LOOK if any(isinstance(one, UnreadableStatus) for one in found) else ExitCode.GOOD


def _trouble(one: AnyStatus, now: datetime) -> bool:
    if isinstance(one, UnreadableStatus):
        return False
    sick = any(cluster.sick for cluster in (one.clusters or {}).values())
    return one.silent(now) or one.state == "failed" or (one.state == "running" and (sick or one.refused is not None))


def _rank(one: AnyStatus, now: datetime) -> tuple[int, int, str]:
    if isinstance(one, UnreadableStatus):
        return 0, 0, one.file
    if one.silent(now):
        level = 1
    elif one.state == "failed":
        level = 2
    elif _trouble(one, now):
        level = 3
    else:
        level = 4 if one.state == "running" else 5
    return level, -one.pending, one.shown


def _show(found: Sequence[AnyStatus], now: datetime) -> None:
    out = result()
    heading = ("Query", "State", "Lag", "Age")
    rows = [(safe(_name(one)), state_of(one, now), *map(Text, _facts(one, now))) for one in found]
    table = table_of(*heading, "Clusters", right=("Lag", "Age"))
    table.columns[0].max_width = _NAME
    widths = (max(map(len, column)) for column in zip(heading, *rows, strict=True))
    # Two columns more between columns, and at both ends.
    left = out.width - sum(min(width, _NAME) + 2 for width in widths) - 2
    for one, row in zip(found, rows, strict=True):
        table.add_row(*row, Text(summary(one, max(left, 1)) if isinstance(one, QueryStatus) else ""))
    out.print(table)
    for one in found:
        _tell(one, now)
    trouble = sum(_trouble(one, now) or isinstance(one, UnreadableStatus) for one in found)
    queries = f"{len(found):,} {'query' if len(found) == 1 else 'queries'}"
    out.print(
        Text(
            f"{queries}: {trouble:,} to look at." if trouble else f"{queries}: good.",
            "bold" if trouble else "bold green",
        )
    )


def _name(one: AnyStatus) -> str:
    return one.shown if isinstance(one, QueryStatus) else one.file


def _facts(one: AnyStatus, now: datetime) -> tuple[str, str]:
    if isinstance(one, UnreadableStatus):
        return "", ""
    lag = count(one.pending) if one.clusters is not None else ""
    return lag, age(one.written, now)


def _tell(one: AnyStatus, now: datetime) -> None:
    if isinstance(one, UnreadableStatus):
        said = [f"It can't be read: {one.why}"]
    else:
        said = [*(findings(one, now) if _trouble(one, now) else []), *news(one, now)]
    if said:
        result().print(safe(_name(one), "bold"))
    for text in said:
        result().print(Padding(Text(printable(text, keep="\n")), (0, 0, 0, 2)))


def _report(one: AnyStatus, now: datetime) -> dict[str, Any]:
    if isinstance(one, QueryStatus):
        judged = {"file": one.file, "silent": one.silent(now), "found": _trouble(one, now)}
        return {**judged, "pendingRecords": one.pending, "status": dict(one.content)}
    return {"file": one.file, "unreadable": one.why}
