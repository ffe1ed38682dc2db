"""Pure: what came again in Real-Time Mode, and whether it might.

After a start of the query, what was read since the last committed batch is read again. Nothing else is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tests.chaos.checkpoint import Partition, Position
from tests.chaos.places import Ack, Row, Source, home


class Came(NamedTuple):
    """A row, the start of the query that wrote it, counted from 1, and when, in seconds by the wall clock."""

    start: int
    row: Row
    at: float


class Done(NamedTuple):
    """Where partitions were by the last batch that was committed when a start of the query began, and when that batch
    was logged, in seconds by the wall clock."""

    positions: Mapping[Partition, Position]
    at: float


@dataclass(frozen=True, slots=True)
class Repeats:
    """``again`` is how many ids came more than once, in ``starts`` starts of the query that repeated any. The others
    are ids by what is wrong with them: ``twice`` within one start, ``committed`` before a start that repeated them, or
    ``disordered``: later than a record behind them in their partition, within one start."""

    again: int
    starts: int
    twice: tuple[str, ...]
    committed: tuple[str, ...]
    disordered: tuple[str, ...]

    @property
    def wrong(self) -> dict[str, tuple[str, ...]]:
        """The ids by what is wrong, where something is."""
        found = {
            "twice in one start": self.twice,
            "repeated though committed": self.committed,
            "disordered in one start": self.disordered,
        }
        return {name: ids for name, ids in found.items() if ids}

    def findings(self) -> list[str]:
        return [f"{len(ids)} ids {name}, such as {', '.join(ids[:5])}" for name, ids in self.wrong.items()]

    def __str__(self) -> str:
        return f"{self.again:,} ids came again, over {self.starts} starts of the query"


def judge_repeats(came: Iterable[Came], acks: Mapping[str, Ack], committed: Mapping[int, Done]) -> Repeats:
    """``came`` in the order of its coming; ``committed`` by start, where a batch was."""
    seen: dict[str, set[int]] = {}
    first: dict[str, float] = {}
    furthest: dict[tuple[int, Source, int], int] = {}
    again, starts = set(), set()
    twice, below, disordered = set(), set(), set()
    for start, row, at in came:
        before = seen.setdefault(row.id, set())
        if before:
            again.add(row.id)
            starts.add(start)
            if start in committed and _is_of(committed[start], row, first[row.id]):
                below.add(row.id)
        if start in before:
            twice.add(row.id)
        elif row.id in acks:
            ack = acks[row.id]
            here = (start, ack.source, ack.partition)
            if ack.offset < furthest.get(here, ack.offset):
                disordered.add(row.id)
            furthest[here] = max(ack.offset, furthest.get(here, ack.offset))
        before.add(start)
        first.setdefault(row.id, at)
    wrong = (tuple(sorted(ids)) for ids in (twice, below, disordered))
    return Repeats(len(again), len(starts), *wrong)


def _is_of(done: Done, row: Row, came: float) -> bool:
    """What first came after the batch was logged is not of it: its log was cut off and has grown again below there."""
    position = done.positions.get((home(row.cluster), row.topic, row.partition))
    return position is not None and row.offset < position.next and came <= done.at
