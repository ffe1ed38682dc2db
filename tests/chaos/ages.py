"""Pure: how long the rows of healthy clusters took into the table while another cluster was down.

A row may wait for what is known to hold everything up for a bounded time, and for its own cluster's trouble; what is
left of its waiting is what the source itself is to blame for.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from tests.chaos.places import Ack


class Span(NamedTuple):
    """From one second of the run to another."""

    begin: float
    end: float


class Trouble(NamedTuple):
    """What was done to one cluster, from its first moment until it was undone. ``silent``: its brokers were away."""

    cluster: str
    begin: float
    end: float
    silent: bool


class Commit(NamedTuple):
    """When a batch was planned for the first time, and when it was committed."""

    planned: float
    done: float


@dataclass(frozen=True, slots=True)
class Limits:
    """In seconds: what a batch planned on a cluster that falls silent waits for it, a start of the query takes to its
    first batch, the driver takes to come up again, a cluster takes to be read to its end once it is back; and how long
    any other row may take. ``half`` of all rows come within so many seconds, excused or not: drivers that are killed
    again and again before their first batch would excuse everything."""

    read: float
    start: float
    driver: float
    back: float
    row: float
    half: float = math.inf


@dataclass(frozen=True, slots=True)
class History:
    """What held rows up: the query's ``starts``, and its ``stops``, whoever stopped it."""

    troubles: Sequence[Trouble]
    commits: Sequence[Commit]
    starts: Sequence[float]
    stops: Sequence[float]


@dataclass(frozen=True, slots=True)
class Ages:
    """Of the rows that waited while another cluster than theirs was down: how many, their ages, and the ids of those
    that were late beyond all that excuses it."""

    rows: int = 0
    p50: float = 0.0
    p99: float = 0.0
    most: float = 0.0
    unexcused: float = 0.0
    late: tuple[str, ...] = ()
    half: float = math.inf

    def findings(self) -> list[str]:
        """What is wrong with them."""
        found = [f"{len(self.late)} rows of healthy clusters came late while another was down"] if self.late else []
        if self.p50 > self.half:
            found.append(f"Half of the rows of healthy clusters took {self.p50:.1f} s and more, not {self.half:g}")
        return found

    def __str__(self) -> str:
        return (
            f"{self.rows:,} rows of healthy clusters came while another was down: ages p50 {self.p50:.2f} s, p99 "
            f"{self.p99:.2f} s, max {self.most:.2f} s; without restarts and their own cluster's trouble max "
            f"{self.unexcused:.2f} s; {len(self.late)} late"
        )


def ages(acks: Mapping[str, Ack], came: Mapping[str, float], history: History, limits: Limits) -> Ages:
    """``came`` is by id the second in which its batch was in the table."""
    everyone = _everyone(history, limits)
    clusters = {ack.source.cluster for ack in acks.values()}
    excused = {name: _Excuses([*everyone, *_own(name, history.troubles, limits)]) for name in clusters}
    down = {name: _Excuses(_others(name, history.troubles)) for name in clusters}
    found, late, longest = [], [], 0.0
    for id_, ack in acks.items():
        arrived = came.get(id_)
        cluster = ack.source.cluster
        if arrived is not None and down[cluster].within(ack.at, arrived) > 0:
            found.append(arrived - ack.at)
            waited = arrived - ack.at - excused[cluster].within(ack.at, arrived)
            longest = max(longest, waited)
            if waited > limits.row:
                late.append(id_)
    found.sort()
    if not found:
        return Ages()
    return Ages(len(found), _rank(found, 0.5), _rank(found, 0.99), found[-1], longest, tuple(sorted(late)), limits.half)


def _everyone(history: History, limits: Limits) -> list[Span]:
    """What may hold up the rows of each cluster, each for as long as its limit allows and no longer than it did."""
    done = sorted(commit.done for commit in history.commits)
    starts, stops = sorted(history.starts), sorted(history.stops)
    spans = [Span(stop, min(_first(starts, stop), stop + limits.driver)) for stop in stops]
    spans += [Span(start, min(_first(done, start), start + limits.start)) for start in starts]
    for trouble in history.troubles:
        if trouble.silent:
            planned_after = [commit.done for commit in history.commits if commit.planned >= trouble.begin]
            over = min(min(planned_after, default=math.inf), _first(stops, trouble.begin))
            spans.append(Span(trouble.begin, min(over, trouble.begin + limits.read)))
    return spans


def _own(cluster: str, troubles: Iterable[Trouble], limits: Limits) -> list[Span]:
    return [Span(one.begin, one.end + limits.back) for one in troubles if one.cluster == cluster]


def _others(cluster: str, troubles: Iterable[Trouble]) -> list[Span]:
    return [Span(one.begin, one.end) for one in troubles if one.silent and one.cluster != cluster]


class _Excuses:
    """Spans that may overlap, asked how much of a time they cover."""

    def __init__(self, spans: Iterable[Span]) -> None:
        merged: list[Span] = []
        for span in sorted(spans):
            if merged and span.begin <= merged[-1].end:
                merged[-1] = Span(merged[-1].begin, max(merged[-1].end, span.end))
            else:
                merged.append(span)
        self._begins = [span.begin for span in merged]
        self._lengths = [span.end - span.begin for span in merged]
        self._before = [0.0, *accumulate(self._lengths)]

    def within(self, begin: float, end: float) -> float:
        return self._until(end) - self._until(begin)

    def _until(self, moment: float) -> float:
        """How much is covered before a moment."""
        number = bisect_right(self._begins, moment)
        if number == 0:
            return 0.0
        return self._before[number - 1] + min(moment - self._begins[number - 1], self._lengths[number - 1])


def _first(ordered: Sequence[float], moment: float) -> float:
    """The first that is not before a moment; infinity without one."""
    number = bisect_left(ordered, moment)
    return ordered[number] if number < len(ordered) else math.inf


def _rank(ordered: Sequence[float], share: float) -> float:
    return ordered[math.ceil(share * len(ordered)) - 1]
