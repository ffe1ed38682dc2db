"""Pure: what was due, and what came of it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from tests.chaos.places import Ack, Row, Source, home


@dataclass(frozen=True, slots=True)
class Verdict:
    """Ids by what is wrong with them.

    ``missing`` were due and are not in the table, ``duplicated`` are there more than once, ``unknown`` nobody
    wrote, ``misplaced`` came with a cluster, topic, partition or offset that is not theirs, ``disordered`` came in
    a later batch, or later in the rows of one task, than a record behind them in their partition, under whichever id of
    its cluster, ``aborted`` were written in a transaction that was aborted.
    """

    due: int
    arrived: int
    missing: tuple[str, ...]
    duplicated: tuple[str, ...]
    unknown: tuple[str, ...]
    misplaced: tuple[str, ...]
    disordered: tuple[str, ...]
    aborted: tuple[str, ...]

    @property
    def wrong(self) -> dict[str, tuple[str, ...]]:
        """The ids by what is wrong, where something is."""
        found = {
            "missing": self.missing,
            "duplicated": self.duplicated,
            "unknown": self.unknown,
            "misplaced": self.misplaced,
            "disordered": self.disordered,
            "aborted": self.aborted,
        }
        return {name: ids for name, ids in found.items() if ids}

    @property
    def holds(self) -> bool:
        return self.due > 0 and not self.wrong

    def __str__(self) -> str:
        counts = (
            f"{len(self.missing)} missing, {len(self.duplicated)} duplicated, {len(self.unknown)} unknown, "
            f"{len(self.misplaced)} misplaced, {len(self.disordered)} disordered, {len(self.aborted)} aborted"
        )
        return f"{self.due:,} ids due, {self.arrived:,} rows in the table: {counts}"


def due_ids(acks: Mapping[str, Ack], removed: Mapping[Source, float]) -> set[str]:
    """The ids that must arrive: all that a broker confirmed, but for what was written to a source after it had been
    removed from the metadata for good, at the second given."""
    return {id_ for id_, ack in acks.items() if ack.at < removed.get(ack.source, float("inf"))}


def judge(
    acks: Mapping[str, Ack],
    unsure: Collection[str],
    due: Collection[str],
    rows: Iterable[Row],
    aborted: Collection[str] = (),
) -> Verdict:
    """``unsure`` are ids that were sent and neither confirmed nor refused: they may be there, once. Those ``aborted``
    must not."""
    seen: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        seen[row.id].append(row)
    return Verdict(
        due=len(due),
        arrived=sum(map(len, seen.values())),
        missing=tuple(sorted(id_ for id_ in due if id_ not in seen)),
        duplicated=tuple(sorted(id_ for id_, found in seen.items() if len(found) > 1)),
        unknown=tuple(sorted(seen.keys() - acks.keys() - set(unsure) - set(aborted))),
        misplaced=tuple(sorted(id_ for id_, found in seen.items() if id_ in acks and _strays(acks[id_], found))),
        disordered=tuple(sorted(_disordered(acks, seen))),
        aborted=tuple(sorted(seen.keys() & set(aborted))),
    )


def miscounted(counted: int, cut_off: int) -> list[str]:
    """What is wrong with the number of records that a query counts as lost. What it had read is no loss, so it may be
    any that is not more than were cut off."""
    return [] if counted <= cut_off else [f"A query counts {counted} lost records, and {cut_off} were cut off"]


def _strays(ack: Ack, rows: Iterable[Row]) -> bool:
    place = (ack.source.cluster, ack.source.topic, ack.partition, ack.offset)
    return any((home(row.cluster), row.topic, row.partition, row.offset) != place for row in rows)


def _disordered(acks: Mapping[str, Ack], seen: Mapping[str, list[Row]]) -> Iterable[str]:
    by_partition: dict[tuple[Source, int], list[tuple[int, Row]]] = defaultdict(list)
    for id_, rows in seen.items():
        if id_ in acks:
            ack = acks[id_]
            by_partition[ack.source, ack.partition].append((ack.offset, rows[0]))
    for came in by_partition.values():
        came.sort(reverse=True)
        earliest_behind: float = float("inf")
        first_behind: dict[str, int] = {}
        for _, row in came:
            file, line = row.place
            if row.batch > earliest_behind or line > first_behind.get(file, line):
                yield row.id
            earliest_behind = min(earliest_behind, row.batch)
            first_behind[file] = min(line, first_behind.get(file, line))
