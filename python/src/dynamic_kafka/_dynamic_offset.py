"""The checkpoint's offset of this source, as docs/checkpoint.md has it, read for a new query."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dynamic_kafka._checkpoint_log import json_object
from dynamic_kafka.errors import OffsetVersionError

NEWEST_OFFSET = 2
# What a rule gives all that it does not name.
OTHERS = "*"

Deferred = Mapping[tuple[str, str, str], tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class DynamicOffset:
    """One offset.

    `starting`: by cluster, the rule by which a new query goes on there. `listed`: by cluster, topic and partition, the
    positions of what the metadata listed. `undrained`: by cluster and topic, how many offsets a removed topic had still
    to be read.
    """

    starting: Mapping[str, Any]
    listed: Mapping[str, Mapping[str, Mapping[int, int]]]
    undrained: Mapping[tuple[str, str], int]


def is_dynamic(text: str) -> bool:
    """Whether an offset's text is one of this source, of whatever version."""
    try:
        value = json.loads(text)
    except ValueError:
        return text.startswith('{"version":') and '"clusters"' in text
    return isinstance(value, dict) and isinstance(value.get("version"), int)


def parse_dynamic(text: str, deferred: str | None) -> DynamicOffset:
    """What an offset says, less what the batch of it gave back. Raises `CheckpointError` or `OffsetVersionError`."""
    value = json_object(text, "an offset")
    if value["version"] > NEWEST_OFFSET:
        raise OffsetVersionError(
            f"An offset has version {value['version']}; this release reads up to version {NEWEST_OFFSET}. A newer "
            "release of dynamic-kafka-spark wrote it: take that one."
        )
    given_back = _deferred(deferred)
    starting: dict[str, Any] = {}
    listed: dict[str, Mapping[str, Mapping[int, int]]] = {}
    undrained: dict[tuple[str, str], int] = {}
    formers: list[tuple[str, str, Any]] = []
    for cluster_id, cluster in value.get("clusters", {}).items():
        rule = _rule_of_unread(cluster)
        held = {}
        for topic, one in cluster.get("topics", {}).items():
            at = dict(_positions(cluster_id, topic, one, given_back))
            begins = {OTHERS: "earliest", **{str(partition): offset for partition, offset in at.items()}}
            rule = {**(rule if isinstance(rule, dict) else {OTHERS: rule}), topic: begins}
            formers += [(former, topic, begins) for former in one.get("formers", ())]
            if "removed" in one:
                undrained[cluster_id, topic] = _offsets_to_drain(at, one.get("drain"))
            else:
                held[topic] = MappingProxyType(at)
        starting[cluster_id] = rule
        listed[cluster_id] = MappingProxyType(held)
    # Listed alone, an id under which the log was read before goes on at the same position.
    for former, topic, begins in formers:
        _add_former(starting, former, topic, begins)
    left = {where: count for where, count in undrained.items() if count}
    return DynamicOffset(MappingProxyType(starting), MappingProxyType(listed), MappingProxyType(left))


def _positions(cluster: str, topic: str, held: Mapping[str, Any], deferred: Deferred) -> Iterator[tuple[int, int]]:
    # The leader epoch follows, if it is known. It belongs to one topic of one Kafka cluster, and to no new query.
    for partition, (_start, following, incarnation, *_) in held.get("partitions", {}).items():
        begin, until, of = deferred.get((cluster, topic, partition), (0, -1, -1))
        gave_back = (until, of) == (following, incarnation)
        yield int(partition), begin if gave_back else following


def _deferred(text: str | None) -> Deferred:
    if text is None:
        return {}
    value = json_object(text, "what a batch deferred")
    if value.get("version") != 1:
        raise OffsetVersionError(
            f"What a batch deferred has version {value.get('version')}; this release reads version 1. Take a newer one."
        )
    return {
        (cluster, topic, partition): (entry[0], entry[1], entry[2])
        for cluster, topics in value.get("deferred", {}).items()
        for topic, partitions in topics.items()
        for partition, entry in partitions.items()
    }


def _offsets_to_drain(at: Mapping[int, int], drain: Mapping[str, int | None] | None) -> int:
    """How many offsets were to be read still; 1 for a topic or a partition of which nobody had found out how far."""
    if drain is None:
        return 1
    return sum(1 if end is None else max(0, end - at.get(int(partition), 0)) for partition, end in drain.items())


def _rule_of_unread(cluster: Mapping[str, Any]) -> Any:
    """How a cluster begins that was never reached, and the topics that could not be seen; all else at its earliest
    record.
    """
    if "pending" in cluster:
        return _starting_rule(cluster["pending"])
    rule: dict[str, Any] = {OTHERS: "earliest"}
    for topic, pending in cluster.get("unread", {}).items():
        own = _starting_rule(pending)
        rule[topic] = own.get(topic, own.get(OTHERS, "earliest")) if isinstance(own, dict) and topic in own else own
    return rule


def _starting_rule(pending: Mapping[str, Any]) -> Any:
    text = str(pending["rule"])
    return _latest_as_time(
        json_object(text, "a starting rule") if text.startswith("{") else text, int(pending["since"])
    )


def _latest_as_time(rule: Any, since: int) -> Any:
    """`latest` of what could not be reached means the time when it was first listed."""
    if rule == "latest":
        return {"timestamp": since}
    return {key: _latest_as_time(value, since) for key, value in rule.items()} if isinstance(rule, dict) else rule


def _add_former(starting: dict[str, Any], former: str, topic: str, begins: Any) -> None:
    rule = starting.setdefault(former, {OTHERS: "earliest"})
    if isinstance(rule, dict):
        rule.setdefault(topic, begins)
