"""What a query's checkpoint says of a run: where each batch ended, and what has drained."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.chaos.places import home
from tests.scenarios.batch_logs import BatchLogs


class Position(NamedTuple):
    """What the checkpoint's offset holds of one partition."""

    start: int
    next: int
    incarnation: int


Partition = tuple[str, str, int]


class Checkpoint(BatchLogs):
    """The folder of one query. Spark writes its files under another name first, so none is seen half."""

    def offset(self, batch: int) -> dict[str, Any]:
        """Where a batch ends, as JSON; empty if that is not known."""
        path = self._checkpoint / "offsets" / str(batch)
        text = path.read_text().splitlines()[-1] if path.exists() else ""
        return dict(json.loads(text)) if text.startswith("{") else {}

    def planned(self, batch: int) -> float:
        """When a batch was, by the wall clock, in seconds."""
        return (self._checkpoint / "offsets" / str(batch)).stat().st_mtime

    def commits(self) -> list[tuple[float, float]]:
        """Of each batch that is committed when it was planned and when it was committed, by the wall clock."""
        return [
            (self.planned(batch), (self._checkpoint / "commits" / str(batch)).stat().st_mtime)
            for batch in self.numbers("commits")
        ]

    def committed(self) -> dict[str, Any]:
        """Where the last batch ends that is committed; empty before there is one."""
        done = self.numbers("commits")
        return self.offset(done[-1]) if done else {}


def drained(offset: Mapping[str, Any], cluster: str, topic: str) -> bool:
    """Whether by this offset the topic is removed and read to the end found then."""
    held = offset.get("clusters", {}).get(cluster, {}).get("topics", {}).get(topic, {})
    if "removed" not in held or "drain" not in held:
        return False
    return all(end is not None and held["partitions"][at][1] >= end for at, end in held["drain"].items())


def reading(offset: Mapping[str, Any], cluster: str, topic: str) -> bool:
    """Whether by this offset the topic is read under this id of its cluster, and not removed."""
    held = offset.get("clusters", {}).get(cluster, {}).get("topics", {}).get(topic, {})
    return bool(held) and "removed" not in held


def positions(offset: Mapping[str, Any]) -> dict[Partition, Position]:
    """Where each partition is by this offset. Of one that is held under two ids, the newest incarnation counts."""
    found: dict[Partition, Position] = {}
    for cluster, held in offset.get("clusters", {}).items():
        for topic, of_topic in held.get("topics", {}).items():
            for partition, values in of_topic["partitions"].items():
                place, position = (home(cluster), topic, int(partition)), Position(*values[:3])
                if place not in found or found[place].incarnation < position.incarnation:
                    found[place] = position
    return found


def batch_of(place: Partition, offset: int, ends: Mapping[int, Mapping[Partition, Position]]) -> list[int]:
    """The batches that hold an offset of a partition, by the positions at which batches end; one, if all is well and
    the topic was not created again."""
    found, before = [], None
    for batch, positions_ in sorted(ends.items()):
        now = positions_.get(place)
        if now is not None:
            same = before is not None and before.incarnation == now.incarnation
            if (before.next if same and before else now.start) <= offset < now.next:
                found.append(batch)
            before = now
    return found
