"""The driver's process as a run handles it."""

import json
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

from dynamic_kafka._brokers.supervised import Supervised

from tests.chaos.order import Order


class Ending(NamedTuple):
    """What a query failed with at a time of the wall clock, in seconds; condition ``other`` for what is not of the
    source. ``policy`` is what it did about clusters that cannot be reached."""

    condition: str
    policy: str
    text: str
    at: float


class Start(NamedTuple):
    """A start of a query, at a time of the wall clock. ``committed`` is the last batch that was committed then; -1 for
    none."""

    settings: str
    committed: int
    at: float


class Driver:
    """One process after the other. Safe from any thread."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self._turn = threading.Lock()
        self._process: Supervised | None = None
        self._count = 0
        order.folder.mkdir(parents=True, exist_ok=True)
        self._told = order.folder / "order.json"
        order.write(self._told)

    def start(self) -> None:
        with self._turn:
            self._count += 1
            command = [sys.executable, "-m", "tests.chaos.driver_program", str(self._told), str(self._count)]
            self._process = Supervised(command, self.log)

    @property
    def log(self) -> Path:
        """What drivers print; what they log lies beside it, by start."""
        return self.order.folder / "driver.txt"

    def kill(self) -> bool:
        """Whether there was one that ran, and runs no more."""
        with self._turn:
            process, self._process = self._process, None
            if process is None:
                return False
            ran = process.runs()
            process.kill()
            return ran and not process.runs()

    def died(self) -> bool:
        """Whether the process ended without having been killed here."""
        with self._turn:
            return self._process is not None and not self._process.runs()

    def restart_query(self) -> None:
        """Asks for it; it is done within the second, if a query runs."""
        self.order.request.touch()

    def endings(self) -> list[Ending]:
        """Of each query that failed."""
        return [Ending(**line) for line in lines_of(self.order.endings)]

    def starts(self) -> list[Start]:
        """Of each query."""
        return [Start(**line) for line in lines_of(self.order.starts)]

    def most_lost(self) -> int:
        """As many records as any query has counted as lost."""
        return max((line["records"] for line in lines_of(self.order.losses)), default=0)

    def last_progress(self) -> str:
        """As the query reported it, in JSON; empty before the first."""
        return self.order.progress.read_text() if self.order.progress.exists() else ""


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, one a line."""
    lines = path.read_text().split("\n") if path.exists() else []
    return [line for line in map(_line, lines) if line]


def _line(text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except ValueError:  # it is half there, of a driver that was killed
        return {}
