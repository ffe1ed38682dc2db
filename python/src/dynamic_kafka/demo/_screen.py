"""Shows what happens: a table that changes in a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TextIO

from dynamic_kafka._progress_table import ClusterProgress

_HEADS = ("cluster", "listed", "state", "written", "arrived", "a second", "not read")
_LEFT = ("cluster", "listed", "state")
_BAR = 24
_PLAIN_EVERY = 2.0


@dataclass(frozen=True)
class Line:
    """A cluster at one moment. ``state``, ``rate`` and ``pending`` are what the query reports."""

    cluster: str
    listed: bool
    written: int
    arrived: int
    state: str = "-"
    rate: float = 0
    pending: int = 0

    def reporting(self, row: ClusterProgress) -> Line:
        """The same, with what the query reports."""
        return replace(self, state=row.state, rate=row.rate or 0, pending=row.pending)

    def cells(self) -> tuple[str, ...]:
        figures = (f"{number:,.0f}" for number in (self.written, self.arrived, self.rate, self.pending))
        return (self.cluster, "yes" if self.listed else "no", self.state, *figures)


def table(lines: Sequence[Line]) -> list[str]:
    """With a bar for what arrives from each cluster in a second."""
    rows = [_HEADS, *(line.cells() for line in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    most = max([1.0, *(line.rate for line in lines)])
    bars = ["", *("#" * round(_BAR * line.rate / most) for line in lines)]
    return ["  ".join([*_aligned(row, widths), bar]).rstrip() for row, bar in zip(rows, bars, strict=True)]


def _aligned(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    cells = zip(row, widths, _HEADS, strict=True)
    return [f"{cell:<{wide}}" if head in _LEFT else f"{cell:>{wide}}" for cell, wide, head in cells]


class Screen:
    """Draws over what it drew before if ``out`` is a terminal."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._live = out.isatty()
        self._drawn = 0
        self._told = 0
        self._last = -_PLAIN_EVERY
        self._states: list[str] = []

    def show(self, at: float, lines: Sequence[Line], events: Sequence[str]) -> None:
        """``at`` is in seconds since the beginning, and ``events`` are all so far."""
        if self._live:
            width = shutil.get_terminal_size().columns - 1  # a line that is broken would count twice
            board = [line[:width] for line in ["", *table(lines), "", *events]]
            back = f"\x1b[{self._drawn}F\x1b[J" if self._drawn else ""
            print(back + "\n".join(board), file=self._out, flush=True)
            self._drawn = len(board)
            return
        states = [line.state for line in lines]
        due = at - self._last >= _PLAIN_EVERY or states != self._states
        new = [*events[self._told :], *(table(lines) if due else ())]
        if new:
            print("\n".join(new), file=self._out, flush=True)
        self._told = len(events)
        if due:
            self._last, self._states = at, states
