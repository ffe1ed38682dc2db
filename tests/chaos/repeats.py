"""Pure: what came again in Real-Time Mode, and whether it might.

After a start of the query, what was read since the last committed batch is read again. Nothing else is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tests.chaos.checkpoint import Partition, Position
from tests.chaos.places import Ack, Row, Source, home


class Came(NamedTuple):
    """A row, and the start of the query that wrote it, counted from 1."""

    start: int
    row: Row


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


def judge_repeats(
    came: Iterable[Came], acks: Mapping[str, Ack], committed: Mapping[int, Mapping[Partition, Position]]
) -> Repeats:
    """``came`` in the order of its coming. ``committed`` says of each start where partitions were by the last batch
    that was committed when it began."""
    seen: dict[str, set[int]] = {}
    furthest: dict[tuple[int, Source, int], int] = {}
    again, starts = set(), set()
    twice, below, disordered = set(), set(), set()
    for start, row in came:
        before = seen.setdefault(row.id, set())
        if before:
            again.add(row.id)
            starts.add(start)
            if _is_below(row, committed.get(start, {})):
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
    wrong = (tuple(sorted(ids)) for ids in (twice, below, disordered))
    return Repeats(len(again), len(starts), *wrong)


def _is_below(row: Row, positions: Mapping[Partition, Position]) -> bool:
    position = positions.get((home(row.cluster), row.topic, row.partition))
    return position is not None and row.offset < position.next
