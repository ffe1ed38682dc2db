"""Moving a query over: from the checkpoint of one that reads Spark's own Kafka source, or this one, to a new query.

    checkpoint = read_checkpoint("checkpoints/orders")
    move = plan_move(checkpoint, {"0": "eu-1", "1": "eu-2", "2": "us-1"}, listed=["eu-1", "eu-2", "us-1"])
    for finding in move.findings:
        print(finding.text)
    orders = builder.starting_offsets(move.starting_offsets).load()

Nothing is changed, and the new query gets its own checkpoint. No Spark has to run. For a checkpoint of this source Java
is needed: the jar reads its positions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dynamic_kafka._checkpoint import Checkpoint, read_checkpoint
from dynamic_kafka._checkpoint_source import (
    DynamicSource,
    KafkaSource,
    OffsetText,
    OtherSource,
    Positions,
    Source,
)
from dynamic_kafka._dynamic_offset import dynamic_offsets
from dynamic_kafka._metadata import KafkaStream
from dynamic_kafka._move_findings import Finding, FindingKind, findings, notes
from dynamic_kafka._offsets import OTHER_CLUSTERS
from dynamic_kafka.errors import CheckpointError, InvalidOptionError

# What a rule gives all that it does not name.
OTHERS = "*"

__all__ = [
    "Checkpoint",
    "DynamicSource",
    "Finding",
    "FindingKind",
    "KafkaSource",
    "Move",
    "OffsetText",
    "OtherSource",
    "Positions",
    "Source",
    "find_clusters",
    "plan_move",
    "read_checkpoint",
    "spark_starting_offsets",
]


@dataclass(frozen=True, slots=True)
class Move:
    """How a new query resumes where an old one was.

    `starting_offsets` are those of the new query, by cluster. `findings` must be decided first, `notes` are to know.
    """

    starting_offsets: Mapping[str, Any]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def find_clusters(
    checkpoint: Checkpoint, streams: Collection[KafkaStream], named: Mapping[str, str] | None = None
) -> dict[str, str]:
    """By the name or number of each of Spark's sources, the id of its cluster: from `named`, else by its topics.

    A checkpoint holds no addresses. A source belongs to a cluster if it is the only one that lists all its topics; two
    sources that would share a topic belong to none. Nothing is guessed: what stays open raises `InvalidOptionError`.
    """
    listed = _topics_by_cluster(streams)
    clusters = dict(named or {})
    _refuse_unknown(checkpoint, clusters)
    for name, cluster in clusters.items():
        if listed and cluster not in listed:
            raise InvalidOptionError(
                f"Source {name} is said to be cluster {cluster!r}, which the streams do not list. They list: "
                f"{_texts(listed)}."
            )
    open_sources = [source for source in _kafka(checkpoint) if source.name not in clusters]
    choices = {source.name: _candidates(source, listed) for source in open_sources}
    taken = [*clusters.items(), *((name, found[0]) for name, found in choices.items() if len(found) == 1)]
    for source in open_sources:
        found = choices[source.name]
        rivals = [other for other, cluster in taken if other != source.name and found == [cluster]]
        if len(found) != 1 or any(source.topics & _topics(checkpoint, other) for other in rivals):
            raise _open(source, found, rivals, listed)
        clusters[source.name] = found[0]
    return clusters


def plan_move(checkpoint: Checkpoint, clusters: Mapping[str, str], *, listed: Collection[str] = ()) -> Move:
    """The starting offsets of a new query: right after what was committed, and at the earliest record for all else.

    `clusters` says by name or number of each source of Spark's which cluster it read; `checkpoint.without(...)` leaves
    one out. `listed` are the clusters that the new query will read: a note names those that the checkpoint does not
    know.
    """
    _refuse_unknown(checkpoint, clusters)
    untold = [source.name for source in _kafka(checkpoint) if source.name not in clusters]
    if untold:
        raise InvalidOptionError(
            f"Which cluster is source {', '.join(untold)}? A checkpoint does not say: name the cluster of each "
            "source, or leave it out."
        )
    rules, ours = _Rules(), dynamic_offsets(checkpoint)
    for source in checkpoint.sources:
        if isinstance(source, KafkaSource):
            rules.add(source.name, {clusters[source.name]: _rule(source.positions)})
        elif isinstance(source, DynamicSource):
            rules.add(source.name, ours[source.name].starting)
    if not rules.by_cluster:
        raise CheckpointError(f"{checkpoint.location}: none of its sources that are to move has a position in Kafka.")
    unknown = sorted(set(listed) - set(rules.by_cluster))
    offsets = {OTHER_CLUSTERS: "earliest", **rules.by_cluster, **dict.fromkeys(unknown, "earliest")}
    return Move(
        MappingProxyType(dict(sorted(offsets.items()))),
        tuple(findings(checkpoint)),
        tuple(notes(checkpoint, unknown)),
    )


def spark_starting_offsets(
    checkpoint: Checkpoint, cluster: str, clusters: Mapping[str, str] | None = None
) -> dict[str, dict[str, int]]:
    """The option `startingOffsets` of Spark's own Kafka source for one cluster: the way back. What was removed is not
    in it.

    `clusters` is as for `plan_move`. Spark wants each partition of the topics that it subscribes to: add those that
    have come since, with -2, which is their earliest record.
    """
    found: dict[str, Mapping[int, int]] = {}
    ours = dynamic_offsets(checkpoint)
    for source in checkpoint.sources:
        if isinstance(source, DynamicSource):
            found |= ours[source.name].listed.get(cluster, {})
        elif isinstance(source, KafkaSource) and (clusters or {}).get(source.name) == cluster:
            found |= source.positions
    if not found:
        held = {id_ for offset in ours.values() for id_ in offset.listed}
        raise InvalidOptionError(
            f"The checkpoint holds no position of cluster {cluster!r}. It has: "
            f"{_texts({*held, *(clusters or {}).values()})}."
        )
    return {
        topic: {str(partition): offset for partition, offset in sorted(at.items())}
        for topic, at in sorted(found.items())
    }


class _Rules:
    """The rules of all sources, by cluster and topic. No topic comes from two sources: the new query reads it once."""

    def __init__(self) -> None:
        self.by_cluster: dict[str, dict[str, Any]] = {}
        self._of: dict[tuple[str, str], str] = {}

    def add(self, source: str, rules: Mapping[str, Mapping[str, Any]]) -> None:
        for cluster, rule in rules.items():
            for topic in rule:
                other = self._of.setdefault((cluster, topic), source)
                if topic != OTHERS and other != source:
                    raise InvalidOptionError(
                        f"Sources {other} and {source} both read topic {topic} of cluster {cluster!r}. The new query "
                        "reads each topic of a cluster once: if the two are not the same cluster, name another one; "
                        "else leave one of them out."
                    )
            self.by_cluster[cluster] = {**self.by_cluster.get(cluster, {}), **rule}


def _rule(positions: Positions) -> dict[str, Any]:
    topics = {
        topic: {OTHERS: "earliest", **{str(partition): offset for partition, offset in at.items()}}
        for topic, at in positions.items()
    }
    return {OTHERS: "earliest", **topics}


def _kafka(checkpoint: Checkpoint) -> list[KafkaSource]:
    return [source for source in checkpoint.sources if isinstance(source, KafkaSource)]


def _topics(checkpoint: Checkpoint, name: str) -> frozenset[str]:
    source = checkpoint.source(name)
    return source.topics if isinstance(source, KafkaSource) else frozenset()


def _topics_by_cluster(streams: Collection[KafkaStream]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for stream in streams:
        for cluster_id, cluster in stream.clusters.items():
            found.setdefault(cluster_id, set()).update(cluster.topics)
    return found


def _candidates(source: KafkaSource, listed: Mapping[str, set[str]]) -> list[str]:
    return sorted(id_ for id_, topics in listed.items() if source.topics and source.topics <= topics)


def _refuse_unknown(checkpoint: Checkpoint, names: Collection[str]) -> None:
    for name in names:
        if not isinstance(checkpoint.source(name), KafkaSource):
            raise InvalidOptionError(f"Source {name} does not read Spark's own Kafka source, so it needs no cluster.")


def _open(source: KafkaSource, found: list[str], rivals: list[str], listed: Collection[str]) -> InvalidOptionError:
    topics = f"its topics are {_texts(source.topics)}" if source.topics else "it has found no topic yet"
    if rivals and len(found) == 1:
        why = f"{found[0]!r} alone lists them, and source {rivals[0]} would be the same cluster with the same topics"
    elif found:
        why = f"{_texts(found)} all list them"
    elif listed:
        why = "no cluster of the streams lists them all"
    else:
        why = "no streams were given to compare them with"
    return InvalidOptionError(
        f"Which cluster is source {source.name}? A checkpoint holds no addresses; {topics}, and {why}. "
        f"Name its cluster: `--source {source.name}=<cluster id>`, or `named` in Python. Sources are counted from 0, "
        "in the order in which the old query reads them."
    )


def _texts(texts: Collection[str]) -> str:
    return ", ".join(repr(text) for text in sorted(texts)) or "none"
