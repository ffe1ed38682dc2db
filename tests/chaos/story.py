"""Pure: what happened to the ids that are wrong, in as few lines as can be."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.chaos.checkpoint import Partition, Position, batch_of
from tests.chaos.journal import Happening
from tests.chaos.places import Ack, Row

# Seconds around a record's writing, and around a batch that has to do with it, in which a fault may be the cause.
_NEAR = 10.0
# A transaction's end takes an offset, and so does each record that was aborted.
_GAP = 50
_STORIES = 20
# What happened around a record is printed for the first ones; the others are like them.
_WHOLE = 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a run leaves behind. ``ends`` is where each batch ended, ``times`` the second when it was planned. Rows that
    do not know their batch have the start that wrote them instead, and ``starts`` is the second of its first row."""

    acks: Mapping[str, Ack]
    rows: Sequence[Row]
    happenings: Sequence[Happening]
    ends: Mapping[int, Mapping[Partition, Position]]
    times: Mapping[int, float]
    starts: Mapping[int, float] | None = None


def stories(wrong: Mapping[str, Iterable[str]], evidence: Evidence) -> Iterator[str]:
    """One paragraph for each run of neighbouring ids of one partition that went wrong alike, at most twenty; the first
    ones with what happened around them."""
    runs = [(name, run) for name, ids in wrong.items() for run in _runs(ids, evidence.acks)]
    for number, (name, run) in enumerate(runs[:_STORIES]):
        lines = _story(name, run, evidence)
        yield "\n".join(lines if number < _WHOLE else lines[:2])
    if len(runs) > _STORIES:
        yield f"and {len(runs) - _STORIES} more like these"
    lost = sorted({id_ for ids in wrong.values() for id_ in ids} - evidence.acks.keys())
    if lost:
        yield f"{len(lost)} ids that no broker confirmed: {', '.join(lost[:5])}"


def _runs(ids: Iterable[str], acks: Mapping[str, Ack]) -> Iterator[list[str]]:
    """Ids whose offsets follow each other within a partition, but for small gaps."""
    last: Ack | None = None
    run: list[str] = []
    for id_ in sorted((id_ for id_ in ids if id_ in acks), key=lambda id_: acks[id_][:3]):
        ack = acks[id_]
        if last is None or ack[:2] != last[:2] or ack.offset > last.offset + _GAP:
            if run:
                yield run
            run = []
        run.append(id_)
        last = ack
    if run:
        yield run


def _story(name: str, run: Sequence[str], evidence: Evidence) -> list[str]:
    first, last = evidence.acks[run[0]], evidence.acks[run[-1]]
    place = (first.source.cluster, first.source.topic, first.partition)
    should = sorted({batch for ack in (first, last) for batch in batch_of(place, ack.offset, evidence.ends)})
    times = [evidence.acks[id_].at for id_ in run]
    unit, of_rows = ("batch", evidence.times) if evidence.starts is None else ("start", evidence.starts)
    came = defaultdict(list)
    wanted = set(run)
    for row in evidence.rows:
        if row.id in wanted:
            came[row.batch].append(row.offset)
    lines = [
        f"{len(run)} {name}: {first.source} partition {first.partition} offsets {first.offset} to {last.offset}, "
        f"ids {run[0]} to {run[-1]}, confirmed {min(times):.1f} s to {max(times):.1f} s",
        f"  by the checkpoint in batches {should or 'none'}; in the table "
        + (", ".join(f"{len(found)} in {unit} {batch}" for batch, found in sorted(came.items())) or "in none"),
    ]
    known = [(evidence.times, should), (of_rows, came)]
    spans = [(min(times), max(times)), *((at[b], at[b]) for at, numbers in known for b in numbers if b in at)]
    near = [one for one in evidence.happenings if any(one.overlaps(begin - _NEAR, end + _NEAR) for begin, end in spans)]
    return [*lines, *(f"  {one}" for one in near)]
