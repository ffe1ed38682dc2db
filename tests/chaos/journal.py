"""What was done in a run, and when."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that was done from one second of the run to another."""

    begin: float
    end: float
    text: str

    def overlaps(self, begin: float, end: float) -> bool:
        return self.begin <= end and self.end >= begin

    def __str__(self) -> str:
        return f"{self.begin:8.2f} {self.end:8.2f}  {self.text}"


# After the name of a fault: how often it was ordered, whether or not it had its effect.
ORDERED = ": ordered"


class Journal:
    """Written into a file while it grows; safe from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._began = time.monotonic()
        self._clock = time.time()
        self._turn = threading.Lock()
        self._happened: list[Happening] = []
        self._counts: Counter[str] = Counter()

    def now(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._began

    def at(self, clock: float) -> float:
        """The second of the run that a time of the wall clock was."""
        return clock - self._clock

    def note(self, text: str, begin: float | None = None) -> None:
        """Something that has just happened, or has been under way since ``begin``."""
        now = self.now()
        happening = Happening(now if begin is None else begin, now, text)
        with self._turn, self._path.open("a") as file:
            self._happened.append(happening)
            file.write(f"{happening}\n")

    @contextmanager
    def during(self, text: str) -> Iterator[None]:
        """Notes what the block does, once when it begins and once when it has ended."""
        begin = self.now()
        self.note(f"begins: {text}")
        try:
            yield
        finally:
            self.note(text, begin)

    def count(self, kind: str, times: int = 1) -> None:
        """So many more of what has no duration worth a line."""
        with self._turn:
            self._counts[kind] += times

    def counts(self) -> Counter[str]:
        with self._turn:
            return self._counts.copy()

    def happenings(self) -> list[Happening]:
        """Without the lines that only note a beginning."""
        with self._turn:
            return [one for one in self._happened if not one.text.startswith("begins: ")]
