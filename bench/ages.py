"""Pure: how old rows were when they reached the sink, from the times when they were written and when they came."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Written(NamedTuple):
    """A record, by its cluster and its number, and the time of its writing in milliseconds."""

    cluster: str
    number: int
    at_ms: int


class Window(NamedTuple):
    """What was written between two times, and until when it is awaited. Times are seconds."""

    begin: float
    end: float
    seen_until: float


@dataclass(frozen=True, slots=True)
class Ages:
    """The seconds from writing some rows until they reached the sink. There is at least one."""

    p50: float
    p99: float
    most: float


def ages(written: Sequence[Written], came: Mapping[Written, float], window: Window) -> Ages:
    """The ages of the rows of a window. A row that had not come by its end counts with its age at that time: even a row
    that is extremely late must not be left out."""
    begin, end, until = window
    rows = [one for one in written if begin <= one.at_ms / 1000 < end]
    found = sorted(min(came.get(one, until), until) - one.at_ms / 1000 for one in rows)
    if not found:
        raise ValueError("Nothing was written in this time.")
    return Ages(_rank(found, 0.5), _rank(found, 0.99), found[-1])


def _rank(ordered: Sequence[float], share: float) -> float:
    """The least value that this share of the values does not exceed."""
    return ordered[math.ceil(share * len(ordered)) - 1]
