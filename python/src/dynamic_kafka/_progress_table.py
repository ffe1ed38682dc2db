"""The clusters of a query as a table: as text, and as HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from dynamic_kafka._durations import rough
from dynamic_kafka._redaction import printable

# Of Okabe and Ito: colour-blind people can distinguish them, too.
STATE_COLOURS = {
    "reading": "#9AD6C1",  # pale, so that all else stands out
    "pending": "#56B4E9",
    "standby": "#BBBBBB",
    "paused": "#F0E442",
    "draining": "#0072B2",
    "unavailable": "#D55E00",
    "inactive": "#666666",
    "duplicate": "#CC79A7",
    "finished": "#DDDDDD",
}

_WIDTH = 80
_NARROWEST = 20


@dataclass(frozen=True)
class ClusterProgress:
    """One cluster as it is now. Times are in seconds; None: not reported.

    >>> row = progress(query).rows()[0]
    >>> row.cluster, row.state, row.pending, row.rate
    ('us-1', 'unavailable', 40, None)
    """

    cluster: str
    state: str
    pending: int
    rate: float | None = None
    time_lag: float | None = None
    catch_up: float | None = None
    cause: str = ""


def _time(seconds: float | None) -> str:
    return "-" if seconds is None else rough(seconds)


_COLUMNS: dict[str, Callable[[ClusterProgress], str]] = {
    "cluster": lambda row: printable(row.cluster),
    "state": lambda row: row.state,
    "not read": lambda row: f"{row.pending:,}",
    "a second": lambda row: "-" if row.rate is None else f"{row.rate:,.0f}",
    "late by": lambda row: _time(row.time_lag),
    "caught up in": lambda row: _time(row.catch_up),
}
_TEXTS = ("cluster", "state")


def text_table(heading: Sequence[str], rows: Sequence[ClusterProgress]) -> str:
    """For a terminal: causes stand below the table, wrapped."""
    cells = [[cell(row) for cell in _COLUMNS.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(_COLUMNS, *cells, strict=True)]
    # A longer id continues in the next line.
    widths[0] = min(widths[0], max(_NARROWEST, _WIDTH - sum(widths[1:]) - 2 * len(widths[1:])))

    def line(texts: Sequence[str]) -> str:
        aligned = zip(texts, widths, _COLUMNS, strict=True)
        return "  ".join(f"{text:<{wide}}" if name in _TEXTS else f"{text:>{wide}}" for text, wide, name in aligned)

    above = [part for text in heading for part in wrap(printable(text, keep="\n"), _WIDTH)]
    if not rows:
        return "\n".join(above)
    causes = [
        part
        for row in rows
        if row.cause
        for part in wrap(f"{printable(row.cluster)}: {_cause(row)}", _WIDTH, subsequent_indent="  ")
    ]
    table = [line(list(_COLUMNS)).rstrip()]
    for name, *others in cells:
        first, *more = (name[at : at + widths[0]] for at in range(0, max(len(name), 1), widths[0]))
        table += [line([first, *others]).rstrip(), *more]
    return "\n".join([*above, "", *table, *([""] if causes else []), *causes])


def _cause(row: ClusterProgress) -> str:
    """Line ends stay: both kinds of table show them as spaces."""
    return printable(row.cause, keep="\n")


def html_table(heading: Sequence[str], rows: Sequence[ClusterProgress]) -> str:
    """For a notebook. It uses no script and no style sheet."""
    first, *more = (escape(printable(text, keep="\n")) for text in heading)
    lines = [f"<div><strong>{first}</strong>", *(f"<br>{text}" for text in more), "</div>"]
    if rows:
        names = "".join(f"<th style='text-align:{_side(name)}'>{escape(name)}</th>" for name in (*_COLUMNS, "cause"))
        lines += [
            "<table>",
            f"<thead><tr>{names}</tr></thead>",
            "<tbody>",
            *map(_html_row, rows),
            "</tbody>",
            "</table>",
        ]
    return "\n".join(lines)


def _html_row(row: ClusterProgress) -> str:
    dot = f"<span style='color:{STATE_COLOURS.get(row.state, '#000000')}'>&#9679;</span> "
    cells = {name: escape(cell(row)) for name, cell in _COLUMNS.items()}
    cells["state"] = dot + cells["state"]
    shown = [f"<td style='text-align:{_side(name)};white-space:nowrap'>{text}</td>" for name, text in cells.items()]
    return f"<tr>{''.join(shown)}<td style='text-align:left'>{escape(_cause(row))}</td></tr>"


def _side(name: str) -> str:
    return "left" if name in (*_TEXTS, "cause") else "right"
