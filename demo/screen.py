"""Shows what happens: a table that changes in a terminal, plain lines elsewhere."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from demo.history import Event, History

_PLAIN_EVERY = 2.0


@dataclass(frozen=True, slots=True)
class Board:
    """Everything that is shown at one moment. ``listed`` and ``written`` come from the demo, the rest from the
    query."""

    at: float
    clusters: Sequence[str]
    listed: frozenset[str]
    written: Mapping[str, int]
    history: History

    def rows(self) -> list[tuple[str, ...]]:
        read = self.history.orders()
        return [
            (
                cluster,
                "yes" if cluster in self.listed else "no",
                self.history.state(cluster) or "-",
                f"{self.written.get(cluster, 0):,}",
                f"{read[cluster]:,}",
                f"{(self.history.rates(cluster) or [0.0])[-1]:,.0f}",
                f"{self.history.last.waiting.get(cluster, 0):,}" if self.history.last else "-",
            )
            for cluster in self.clusters
        ]


_HEADS = ("cluster", "listed", "state", "written", "read", "read/s", "waiting")


class Screen(AbstractContextManager["Screen"], Protocol):
    def show(self, board: Board) -> None:
        """Updates the picture."""


class LiveScreen:
    """A table with the clusters, and below it what happened."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False)

    def __enter__(self) -> "LiveScreen":
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def show(self, board: Board) -> None:
        last = board.history.last
        table = Table(title=f"stream orders, second {board.at:.0f}, batch {last.number if last else '-'}")
        for head in _HEADS:
            table.add_column(head, justify="left" if head in _HEADS[:3] else "right")
        for row in board.rows():
            table.add_row(*row)
        self._live.update(Group(table, *map(_styled, board.history.events)), refresh=True)


class PlainScreen:
    """One line for each event, and one with the current state every two seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._printed = 0
        self._last = 0.0

    def __enter__(self) -> "PlainScreen":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to restore."""

    def show(self, board: Board) -> None:
        for event in board.history.events[self._printed :]:
            self._console.print(_styled(event), soft_wrap=True)
        self._printed = len(board.history.events)
        if board.at - self._last >= _PLAIN_EVERY:
            self._last = board.at
            cells = [" ".join(f"{head}={cell}" for head, cell in zip(_HEADS, row, strict=True)) for row in board.rows()]
            self._console.print(f"{board.at:5.1f} s  {' | '.join(cells)}", soft_wrap=True, highlight=False)


def screen_for(console: Console) -> Screen:
    return LiveScreen(console) if console.is_terminal else PlainScreen(console)


def _styled(event: Event) -> Text:
    who = "source" if event.by_source else "demo  "
    return Text(f"{event.at:5.1f} s  {who}  {event.text}", style="cyan" if event.by_source else "bold")
