"""Pure: how old rows were when they reached the sink, out of when they were written and when they came."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Written(NamedTuple):
    """A record by its cluster and the time of its writing, in milliseconds, which no other of that cluster has."""

    cluster: str
    at_ms: int


class Window(NamedTuple):
    """What was written between two seconds of the clock, and until when it is waited for."""

    begin: float
    end: float
    seen_until: float


@dataclass(frozen=True, slots=True)
class Ages:
    """The seconds of some rows from being written to reaching the sink; there is one at least."""

    p50: float
    p99: float
    most: float


def ages(written: Sequence[Written], came: Mapping[Written, float], window: Window) -> Ages:
    """Those of the rows of a window. What had not come by its end is as old as that at least, and counts so: a row that
    is late beyond all measure must not be left out."""
    begin, end, until = window
    rows = [one for one in written if begin <= one.at_ms / 1000 < end]
    found = sorted(min(came.get(one, until), until) - one.at_ms / 1000 for one in rows)
    if not found:
        raise ValueError("Nothing was written in this time.")
    return Ages(_rank(found, 0.5), _rank(found, 0.99), found[-1])


def pause(written: Sequence[Written], came: Mapping[Written, float], moment: float, length: float) -> float:
    """By how many seconds rows were older at most in so many seconds after a moment than in as many before it; below
    zero where they were younger. The last second is left for its rows to come."""
    before = ages(written, came, Window(moment - length, moment - 1, moment))
    after = ages(written, came, Window(moment - 1, moment + length - 1, moment + length))
    return after.most - before.most


def _rank(ordered: Sequence[float], share: float) -> float:
    """The least value that so large a share does not exceed."""
    return ordered[math.ceil(share * len(ordered)) - 1]
