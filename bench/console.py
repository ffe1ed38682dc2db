"""Lines that show the progress of a run."""

import time
from collections.abc import Callable, Mapping


class Schedule:
    """Estimates the rest of a run, from the usual times of its parts and the speed of this run so far."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ahead: dict[str, float] = {}
        self._passed = 0.0
        self._began = self._part_began = clock()

    def plan(self, seconds: Mapping[str, float]) -> None:
        """Plans these parts in this order, each with its usual seconds."""
        self._ahead = dict(seconds)

    def begin(self, part: str) -> None:
        """All parts before this one are done."""
        while next(iter(self._ahead)) != part:
            self._passed += self._ahead.pop(next(iter(self._ahead)))
        self._part_began = self._clock()

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self._clock() - self._began

    @property
    def left(self) -> float | None:
        """Seconds; none if nothing is planned."""
        if not self._ahead:
            return None
        pace = (self._part_began - self._began) / self._passed if self._passed else 1.0
        usual, *later = (seconds * pace for seconds in self._ahead.values())
        return max(0.0, usual - (self._clock() - self._part_began)) + sum(later)


SCHEDULE = Schedule()


def say(text: str) -> None:
    """Prints a line with the seconds since the run began, and an estimate of the minutes left."""
    left = SCHEDULE.left
    more = "" if left is None else f", {left / 60:2.0f} min left"
    print(f"[{SCHEDULE.elapsed:6.0f} s{more}] {text}", flush=True)
