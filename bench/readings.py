"""The readings: a flat list of values, which everything else uses."""

import json
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

WALL = "wall"
CPU = "cpu"


@dataclass(frozen=True, slots=True)
class Reading:
    """The values of one metric of one contestant in one case, one for each repetition.

    ``suite`` and ``case`` say what was done, ``contestant`` says who did it. ``unit`` is the unit of the values.
    """

    suite: str
    case: str
    contestant: str
    metric: str
    unit: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def least(self) -> float:
        return min(self.values)

    @property
    def most(self) -> float:
        return max(self.values)


class Readings:
    """All readings of a run, in order."""

    def __init__(self, readings: Iterable[Reading] = ()) -> None:
        self._all = list(readings)

    def __iter__(self) -> Iterator[Reading]:
        return iter(self._all)

    def add(self, reading: Reading) -> None:
        self._all.append(reading)

    def of(self, suite: str) -> list[Reading]:
        return [reading for reading in self._all if reading.suite == suite]

    def find(self, suite: str, case: str, contestant: str, metric: str) -> Reading | None:
        wanted = (suite, case, contestant, metric)
        return next((one for one in self._all if (one.suite, one.case, one.contestant, one.metric) == wanted), None)

    def median(self, suite: str, case: str, contestant: str, metric: str) -> float | None:
        """The median of that reading; none if this run does not have it."""
        found = self.find(suite, case, contestant, metric)
        return None if found is None else found.median

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([asdict(reading) for reading in self._all], indent=1))
