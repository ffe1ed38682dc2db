"""What a checkpoint of this source says to a new query. The jar reads it, in a Java of its own: no other code does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dynamic_kafka._checkpoint import Checkpoint
from dynamic_kafka._checkpoint_source import DynamicSource, OffsetText, Positions
from dynamic_kafka._java import ask
from dynamic_kafka.errors import OffsetVersionError


@dataclass(frozen=True, slots=True)
class DynamicOffset:
    """Where one source was.

    `starting`: by cluster and topic, the starting offsets of a new query. `listed`: by cluster, the positions of the
    topics that the metadata listed. `not_begun`: the listed clusters of which nothing was read. `topics_not_begun`:
    cluster and name of other topics of which nothing was read. `undrained`: by cluster and topic, how many offsets a
    removed topic had still to be read.
    """

    starting: Mapping[str, Mapping[str, Any]]
    listed: Mapping[str, Positions]
    not_begun: tuple[str, ...]
    topics_not_begun: tuple[tuple[str, str], ...]
    undrained: Mapping[tuple[str, str], int]


def dynamic_offsets(checkpoint: Checkpoint) -> dict[str, DynamicOffset]:
    """By the name of each source of this kind, where it was. Raises `OffsetVersionError`."""
    ours = [source for source in checkpoint.sources if isinstance(source, DynamicSource)]
    try:
        found = _read(tuple(source.committed for source in ours)) if ours else ()
    except OffsetVersionError as failure:
        raise OffsetVersionError(f"{checkpoint.location}: {failure.detail}") from None
    return {source.name: offset for source, offset in zip(ours, found, strict=True)}


# The same few texts are asked for again while one move is planned, and each Java takes half a second.
@lru_cache(maxsize=2)
def _read(texts: tuple[OffsetText, ...]) -> tuple[DynamicOffset, ...]:
    reply = ask("offsets", {"sources": [text.request() for text in texts]})
    return tuple(map(_offset, reply["sources"]))


def _offset(found: Mapping[str, Any]) -> DynamicOffset:
    return DynamicOffset(
        found["starting"],
        {
            cluster: {topic: _partitions(at) for topic, at in topics.items()}
            for cluster, topics in found["listed"].items()
        },
        tuple(found["notBegun"]),
        tuple((one["cluster"], one["topic"]) for one in found["topicsNotBegun"]),
        {(one["cluster"], one["topic"]): one["offsets"] for one in found["undrained"]},
    )


def _partitions(at: Mapping[str, int]) -> dict[int, int]:
    return {int(number): offset for number, offset in at.items()}
