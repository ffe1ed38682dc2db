"""What a checkpoint holds of each source of its query."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from dynamic_kafka._checkpoint_log import json_object
from dynamic_kafka.errors import CheckpointError

Positions: TypeAlias = "Mapping[str, Mapping[int, int]]"
"""By topic and partition, the next offset to read."""

NO_POSITIONS: Positions = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class KafkaSource:
    """One read by Spark's own Kafka source.

    `positions` are after the newest committed batch; empty where the source had found no partition yet. `logged` are
    after the newest batch that was logged and not committed; none without such a batch.
    """

    name: str
    positions: Positions
    logged: Positions | None = None

    @property
    def topics(self) -> frozenset[str]:
        """All topics that it is known to have read, or to have begun."""
        return frozenset(self.positions) | frozenset(self.logged or ())

    def done(self) -> KafkaSource:
        """The source after the logged batch."""
        return self if self.logged is None else KafkaSource(self.name, self.logged)

    @property
    def offsets_logged(self) -> int:
        """How many offsets the batches hold that were logged and not committed."""
        return sum(
            max(0, until - self.positions.get(topic, {}).get(partition, 0))
            for topic, partitions in (self.logged or NO_POSITIONS).items()
            for partition, until in partitions.items()
        )


@dataclass(frozen=True, slots=True)
class OffsetText:
    """An offset of this source as it stands in the checkpoint, with what its batch deferred. The jar reads it.

    `logged` is the offset of a batch after it, and `begun` what a batch of Real-Time Mode has begun with.
    """

    offset: str
    deferred: str | None = None
    logged: str | None = None
    begun: str | None = None

    def request(self) -> dict[str, str]:
        """For the jar."""
        fields = {"offset": self.offset, "deferred": self.deferred, "logged": self.logged, "begun": self.begun}
        return {name: text for name, text in fields.items() if text}


@dataclass(frozen=True, slots=True)
class DynamicSource:
    """One read by this source.

    `committed` is its offset after the newest committed batch, and `newest` that after the newest logged one.
    """

    name: str
    committed: OffsetText = field(repr=False)
    newest: OffsetText = field(repr=False)

    def done(self) -> DynamicSource:
        """The source after the logged batch."""
        return DynamicSource(self.name, self.newest, self.newest)


@dataclass(frozen=True, slots=True)
class OtherSource:
    """A read by any other source, such as files, or by one that had found nothing yet."""

    name: str
    provider: str

    def done(self) -> OtherSource:
        """Nothing is known of its batches."""
        return self


Source: TypeAlias = "KafkaSource | DynamicSource | OtherSource"


@dataclass(frozen=True, slots=True)
class SourceTexts:
    """What the checkpoint has of one source, as texts.

    `committed` is of the newest committed batch and `logged` of one that is not committed. `initial` is where Spark's
    Kafka source began, `deferred` what a batch of ours deferred, and `begun` what one of Real-Time Mode has begun with.
    """

    name: str
    provider: str = ""
    committed: str | None = None
    logged: str | None = None
    initial: str | None = None
    deferred: str | None = None
    begun: str | None = None


def parse_source(texts: SourceTexts) -> Source:
    """What these texts mean. Raises `CheckpointError`."""
    known = next(filter(None, (texts.committed, texts.logged, texts.initial)), None)
    if known is not None and _is_dynamic(known):
        before = texts.committed or '{"version":1,"clusters":{}}'
        return DynamicSource(
            texts.name,
            OffsetText(before, texts.deferred, texts.logged, texts.begun),
            OffsetText(texts.logged or before, texts.deferred, begun=texts.begun),
        )
    if known is None or not _is_kafka(known, texts.provider):
        return OtherSource(texts.name, texts.provider or "not known")
    begins = texts.committed or texts.initial
    if begins is None:
        raise CheckpointError(
            "No batch of it is committed, and where it began is not kept under its number (as for named sources in "
            "Spark 4.2). Let the old query commit one batch, and look again."
        )
    return KafkaSource(
        texts.name,
        _positions(begins),
        _positions(texts.logged) if texts.logged else None,
    )


def _is_dynamic(text: str) -> bool:
    """Whether it is an offset of this source, of any version."""
    try:
        value = json.loads(text)
    except ValueError:
        return text.startswith('{"version":') and '"clusters"' in text
    return isinstance(value, dict) and isinstance(value.get("version"), int)


def _is_kafka(text: str, provider: str) -> bool:
    """By its provider where the log names one, else by its shape. One that is cut off counts as Kafka's, and
    is reported as damaged.
    """
    if provider:
        return "kafka" in provider.lower()
    try:
        value = json.loads(text)
    except ValueError:
        return text.startswith("{")
    return isinstance(value, dict) and all(
        isinstance(partitions, dict) and all(number.isdecimal() for number in partitions)
        for partitions in value.values()
    )


def _positions(text: str) -> Positions:
    topics = json_object(text, "an offset")
    return MappingProxyType({topic: _partitions(topic, value) for topic, value in sorted(topics.items())})


def _partitions(topic: str, value: Any) -> Mapping[int, int]:
    if not isinstance(value, dict) or not all(number.isdecimal() for number in value):
        raise CheckpointError(f"Topic {topic} has no partitions in an offset: it is damaged, or no offset of Kafka's.")
    found: dict[int, int] = {}
    for number, offset in sorted(value.items(), key=lambda pair: int(pair[0])):
        if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
            raise CheckpointError(f"Partition {number} of topic {topic} is at {offset!r}, which is no offset.")
        found[int(number)] = offset
    return MappingProxyType(found)
