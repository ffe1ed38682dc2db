"""`dynamic-kafka status PATH`: the state of all queries that write their status into a folder."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.live import Live
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

WatchOption = Annotated[bool, typer.Option("--watch", "-w", help="Redraws the table every two seconds, until Ctrl-C.")]

_REDRAWN_SECONDS = 2.0

# A longer name continues on the next line.
_NAME = 28


def status(path: PathArgument, *, as_json: JsonOption = False, watch: WatchOption = False) -> None:
    """Shows all queries of a folder, the worst first.

    State, cause, records not read yet, and the age of the file. Exit code 1: a query failed, is silent,
    refuses its metadata, or has a cluster that it does not read as it should.
    """
    if watch and as_json:
        raise typer.BadParameter("--watch redraws a table, and --json prints once: give one of them.")
    found, now = _watched(path) if watch else _looked(path)
    if as_json:
        print_json([_report(one, now) for one in found], indent=2)
    else:
        out = result()
        out.print(_page(found, now, out.width))
    raise typer.Exit(_code(found, now))


def _looked(path: str) -> tuple[Sequence[AnyStatus], datetime]:
    """The statuses, the worst first, and when that was."""
    now = datetime.now(timezone.utc)
    return sorted(read_statuses(path), key=lambda one: _rank(one, now)), now


def _watched(path: str) -> tuple[Sequence[AnyStatus], datetime]:
    """Redraws until Ctrl-C; gives what was seen last."""
    found, now = _looked(path)
    out = result()
    with Live(console=out, screen=out.is_terminal, auto_refresh=False, transient=True) as live:
        try:
            while True:
                live.update(_page(found, now, out.width), refresh=True)
                _pause()
                found, now = _looked(path)
        except KeyboardInterrupt:
            return found, now


def _pause() -> None:
    time.sleep(_REDRAWN_SECONDS)


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


def _page(found: Sequence[AnyStatus], now: datetime, width: int) -> Group:
    """The table, and below it what is to be said of each query."""
    heading = ("Query", "State", "Lag", "Age")
    rows = [(safe(_name(one)), state_of(one, now), *map(Text, _facts(one, now))) for one in found]
    table = table_of(*heading, "Clusters", right=("Lag", "Age"))
    table.columns[0].max_width = _NAME
    widths = (max(map(len, column)) for column in zip(heading, *rows, strict=True))
    # Two columns more between columns, and at both ends.
    left = width - sum(min(width, _NAME) + 2 for width in widths) - 2
    for one, row in zip(found, rows, strict=True):
        table.add_row(*row, Text(summary(one, max(left, 1)) if isinstance(one, QueryStatus) else ""))
    trouble = sum(_trouble(one, now) or isinstance(one, UnreadableStatus) for one in found)
    queries = f"{len(found):,} {'query' if len(found) == 1 else 'queries'}"
    last = f"{trouble:,} to look at." if trouble else "good."
    said = (line for one in found for line in _said(one, now))
    return Group(table, *said, Text(f"{queries}: {last}", "bold" if trouble else "bold green"))


def _name(one: AnyStatus) -> str:
    return one.shown if isinstance(one, QueryStatus) else one.file


def _facts(one: AnyStatus, now: datetime) -> tuple[str, str]:
    if isinstance(one, UnreadableStatus):
        return "", ""
    lag = count(one.pending) if one.clusters is not None else ""
    return lag, age(one.written, now)


def _said(one: AnyStatus, now: datetime) -> Iterator[RenderableType]:
    if isinstance(one, UnreadableStatus):
        said = [f"It can't be read: {one.why}"]
    else:
        said = [*(findings(one, now) if _trouble(one, now) else []), *news(one, now)]
    if said:
        yield safe(_name(one), "bold")
    for text in said:
        yield Padding(Text(printable(text, keep="\n")), (0, 0, 0, 2))


def _report(one: AnyStatus, now: datetime) -> dict[str, Any]:
    if isinstance(one, QueryStatus):
        judged = {"file": one.file, "silent": one.silent(now), "found": _trouble(one, now)}
        return {**judged, "pendingRecords": one.pending, "status": dict(one.content)}
    return {"file": one.file, "unreadable": one.why}
