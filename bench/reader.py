"""A reader in another process, with any jar."""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

from tests.cluster import NotYet, eventually

from bench.ages import Written
from bench.sources import Listed

_WITHIN = 120.0


class Reader:
    """Starts with its first query, and ends when it is closed. ``folder`` is only for this reader."""

    def __init__(self, jar: Path, folder: Path) -> None:
        self._jar = jar
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._read = 0
        # Of the present query, or the last one. When each record came first, and which came again.
        self.came: dict[Written, float] = {}
        self.again: list[Written] = []
        # What each trigger took, in milliseconds by part, by the time when it began. Known once the query was stopped.
        self.triggers: dict[float, dict[str, int]] = {}
        self._begun = 0
        self._ended = 0

    def __enter__(self) -> "Reader":
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        command = [sys.executable, "-m", "bench.reader_program", str(self._jar), str(self._folder)]
        with (self._folder / "printed.txt").open("w") as printed:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=printed, stderr=subprocess.STDOUT, text=True
            )
        return self

    def __exit__(self, *_: object) -> None:
        process = self._running()
        if process.stdin is not None:
            process.stdin.close()  # it ends at the end of its input
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()

    def start(self, listed: Sequence[Listed]) -> None:
        """Starts a query that reads these."""
        self.came, self.again, self.triggers = {}, [], {}
        self._tell([astuple(one) for one in listed])

    def stop(self) -> None:
        """Returns when the query has stopped and all its events are read. Raises ``RuntimeError`` if it failed."""
        before = self._ended

        def has_stopped() -> bool:
            self.refresh()
            return self._ended > before

        self._tell(None)
        eventually("the query has stopped", has_stopped, within=_WITHIN)

    def await_rows(self, clusters: Sequence[str]) -> None:
        """Waits until rows of each of these clusters have come."""

        def missing() -> set[str]:
            if self._running().poll() is not None:
                raise RuntimeError(f"The reader has ended; see {self._folder}.")
            self.refresh()
            return set(clusters) - {one.cluster for one in self.came}

        eventually("rows of each cluster; missing", missing, until=lambda left: not left, within=_WITHIN)

    def await_batch(self) -> None:
        """Returns when the query's function gets its next batch, before it reads it."""
        self.refresh()
        before = self._begun

        def begun() -> bool:
            self.refresh()
            return self._begun > before

        eventually("a batch begins", begun, within=_WITHIN)

    def await_all(self, written: Sequence[Written]) -> None:
        """Waits until all of these have come."""

        def missing() -> int:
            self.refresh()
            return len(set(written) - self.came.keys())

        eventually("all that was written has come; missing", missing, until=lambda left: left == 0, within=_WITHIN)

    def refresh(self) -> None:
        """Reads the events that were reported since."""
        said = self._folder / "said.jsonl"
        if not said.exists():
            raise NotYet("nothing was reported yet")
        with said.open() as lines:
            lines.seek(self._read)
            while (line := lines.readline()).endswith("\n"):
                self._read += len(line)
                self._note(*json.loads(line))

    def _note(self, kind: str, *said: object) -> None:
        match kind, said:
            case "rows", [float(arrival), list(rows)]:
                for one in (Written(*row) for row in rows):
                    if one in self.came:
                        self.again.append(one)
                    self.came.setdefault(one, arrival)
            case "begun", []:
                self._begun += 1
            case "trigger", [float(began), dict(durations)]:
                self.triggers[began] = durations
            case "failed", [text]:
                raise RuntimeError(f"The query failed: {text}")
            case "stopped", []:
                self._ended += 1
            case _:
                raise ValueError(f"{kind} {said} is nothing that a reader reports")

    def _tell(self, order: object) -> None:
        orders = self._running().stdin
        if orders is not None:
            orders.write(json.dumps(order) + "\n")
            orders.flush()

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is None:
            raise RuntimeError("The reader is not open.")
        return self._process
