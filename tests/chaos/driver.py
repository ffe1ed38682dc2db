"""The driver's process as a run handles it."""

import json
import sys
import threading
from pathlib import Path

from tests.chaos.order import Order
from tests.chaos.supervised import Supervised


class Driver:
    """One process after the other. Safe from any thread."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self._turn = threading.Lock()
        self._process: Supervised | None = None
        self._starts = 0
        order.folder.mkdir(parents=True, exist_ok=True)
        self._told = order.folder / "order.json"
        order.write(self._told)

    def start(self) -> None:
        with self._turn:
            self._starts += 1
            command = [sys.executable, "-m", "tests.chaos.driver_program", str(self._told), str(self._starts)]
            self._process = Supervised(command, self.log, {})

    @property
    def log(self) -> Path:
        """What drivers print; what they log lies beside it, by start."""
        return self.order.folder / "driver.txt"

    def kill(self) -> None:
        """Harmless where there is none."""
        with self._turn:
            if self._process is not None:
                self._process.kill()
                self._process = None

    def died(self) -> bool:
        """Whether the process ended without having been killed here."""
        with self._turn:
            return self._process is not None and not self._process.runs()

    def restart_query(self) -> None:
        """Asks for it; it is done within the second, if a query runs."""
        self.order.request.touch()

    def endings(self) -> list[tuple[str, str]]:
        """The condition and the text of each query that failed; condition ``other`` for what is not of the source."""
        if not self.order.endings.exists():
            return []
        # The last line may be half there, of a driver that was killed.
        lines = self.order.endings.read_text().split("\n")[:-1]
        return [(ending["condition"], ending["text"]) for ending in map(json.loads, lines)]

    def last_progress(self) -> str:
        """As the query told it, in JSON; empty before the first."""
        return self.order.progress.read_text() if self.order.progress.exists() else ""
