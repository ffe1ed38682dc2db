"""The findings to decide before a move, and the notes to know, as texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum

from dynamic_kafka._checkpoint import Checkpoint
from dynamic_kafka._checkpoint_source import DynamicSource, KafkaSource, OtherSource
from dynamic_kafka._dynamic_offset import dynamic_offsets

UNNAMED = "A cluster, topic or partition that is not named begins at its earliest record."


class FindingKind(Enum):
    """What a move can't take along, or can't know."""

    LOGGED_BATCH = "logged-batch"
    STATE = "state"
    OTHER_SOURCE = "other-source"
    UNDRAINED = "undrained"
    MISSING_SOURCE = "missing-source"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to decide before the move, in words."""

    kind: FindingKind
    text: str


def findings(checkpoint: Checkpoint) -> Iterator[Finding]:
    """What must be decided first."""
    ours = dynamic_offsets(checkpoint)
    if checkpoint.logged:
        yield Finding(FindingKind.LOGGED_BATCH, _logged(checkpoint))
    if checkpoint.operators:
        yield Finding(FindingKind.STATE, _state(checkpoint))
    for name in checkpoint.missing:
        yield Finding(
            FindingKind.MISSING_SOURCE,
            f"Source {name} began once, and the newest committed batch does not have it. Was it removed from the "
            "query? If not, the file of this batch is cut off.",
        )
    for source in checkpoint.sources:
        if isinstance(source, OtherSource):
            yield Finding(
                FindingKind.OTHER_SOURCE,
                f"Source {source.name} is not Kafka (provider: {source.provider}), so its position is not in these "
                "offsets. The new query has a new checkpoint, where it begins as if it were new: give it its "
                "own start, and leave it out here.",
            )
        if isinstance(source, DynamicSource):
            for (cluster, topic), left in ours[source.name].undrained.items():
                yield Finding(
                    FindingKind.UNDRAINED,
                    f"Topic {topic} of cluster {cluster!r} was removed, and {_count(left, 'offset')} at least are not "
                    "read yet. The new query reads only what is listed: let the old one drain it first, or list it "
                    "again.",
                )


def notes(checkpoint: Checkpoint, unknown: Collection[str]) -> Iterator[str]:
    """What one should know. `unknown` are the listed clusters that the checkpoint does not have."""
    yield (
        "The ids of batches start again at 0 in the new query. A sink that remembers them skips the first new batches, "
        "and their rows are lost: Delta with txnAppId and txnVersion, Spark's file sink (_spark_metadata), or a "
        "foreachBatch that compares batch ids. Give it a new application id, folder or name."
    )
    yield UNNAMED
    if unknown:
        yield f"The checkpoint does not know {', '.join(map(repr, unknown))}: they begin at their earliest record."
    ours = dynamic_offsets(checkpoint)
    waiting = sorted({cluster for offset in ours.values() for cluster in offset.not_begun})
    if waiting:
        yield (
            f"Nothing of {', '.join(map(repr, waiting))} was read yet. If one of them continues another cluster, copy "
            "the offsets of the earlier one to it: a new query does not know what it continues."
        )
    for cluster, topic in sorted({one for offset in ours.values() for one in offset.topics_not_begun}):
        yield (
            f"Nothing of topic {topic} of cluster {cluster!r} was read yet. startingOffsets for Spark's own source do "
            "not have it: add it with -2 for each partition."
        )
    empty = [source.name for source in checkpoint.sources if isinstance(source, KafkaSource) and not source.positions]
    if empty:
        yield f"Source {', '.join(empty)} had found no partition yet: all that is there now is read."
    if checkpoint.control:
        yield (
            f"The newest committed batch is a control batch ({checkpoint.control}): its positions count, as they do "
            "for Spark, even where they lie before earlier ones."
        )
    if checkpoint.gaps:
        yield (
            "The old query logs its progress in the background (asyncProgressTrackingEnabled), and not for each batch. "
            "The sink may have rows beyond these offsets. They come twice, as at a restart of the old query."
        )
    if checkpoint.done:
        yield f"{_batches(checkpoint.done)} not committed, but counted as done: nothing of it is read again."


def _logged(checkpoint: Checkpoint) -> str:
    held = sum(source.offsets_logged for source in checkpoint.sources if isinstance(source, KafkaSource))
    size = f" ({_count(held, 'offset')})" if held else ""
    damaged = f" Its log can't be read: {checkpoint.damaged}" if checkpoint.damaged else ""
    return (
        f"{_batches(checkpoint.logged)} logged and not committed{size}: the old query had begun it and had not "
        f"finished.{damaged} The checkpoint does not say whether the sink has all of its rows, some or none. Best: "
        "start the old query once more with trigger(availableNow=True). It finishes the batch and ends. Then look "
        "again. Otherwise choose. These offsets read it again: rows that are already in the sink come twice. With "
        "--logged-batch done it is not read again: rows that the sink does not have are never read."
    )


def _state(checkpoint: Checkpoint) -> str:
    mark = ""
    if checkpoint.watermark_ms > 0:
        at = datetime.fromtimestamp(checkpoint.watermark_ms / 1000, tz=timezone.utc)
        mark = (
            f" The watermark, {at:%Y-%m-%d %H:%M:%S} UTC, stays behind too: the new query accepts rows that were too "
            "late for the old one."
        )
    return (
        f"The query keeps state, which stays behind ({', '.join(checkpoint.operators)}): open windows, running "
        f"aggregates, seen keys and buffered rows of joins begin empty.{mark} Let the old query close its windows "
        "first, or begin early enough to build them again."
    )


def _batches(numbers: Collection[int]) -> str:
    shown = ", ".join(map(str, numbers))
    return f"Batch {shown} is" if len(numbers) == 1 else f"Batches {shown} are"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
