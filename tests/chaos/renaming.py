"""How a cluster is renamed while it is read, as docs/migrations.md has it."""

import re
from collections.abc import Callable
from typing import Protocol, TypeVar

from tests.chaos.checkpoint import nothing_left, reading
from tests.chaos.places import other_id
from tests.chaos.settings import drains
from tests.chaos.stage import Stage
from tests.cluster import eventually

# Without its old id a cluster whose driver dies meanwhile cannot drain: how long it may take before it gets it back.
_WITHOUT_SECONDS = 20.0
_AFTERWARDS_SECONDS = 100.0

Seen = TypeVar("Seen")

NOTHING = "{}"


class Comes(Protocol):
    """Waits for a condition, and says whether it comes in time."""

    def __call__(self, condition: Callable[[], object], within: float) -> bool: ...


class Renaming:
    """The same for each cluster. What was begun is brought to its end, even when the run is over."""

    def __init__(self, stage: Stage, comes: Comes) -> None:
        self._stage = stage
        self._comes = comes
        self._drains = drains(stage.driver.order.seed)

    def rename(self, cluster: str, *, beside: bool) -> None:
        """Gives a cluster its other id. ``beside``: the old id stays listed while it drains, for its address, as those
        need whose driver may start meanwhile."""
        file = self._stage.file
        old, topics = file.id_of(cluster), file.topics(cluster)
        new, before = other_id(old), self._stage.driver.logged()

        def told() -> str | None:
            read = {topic for topic in topics if self._reads(new, topic)}
            return starting_offsets(self._stage.driver.logged_since(before), new, topics - read)

        def read() -> bool:
            return all(self._reads(new, topic) for topic in topics)

        def left() -> bool:
            return nothing_left(self._stage.checkpoint.committed(), old, drains=self._drains)

        beside = self._listed(cluster, new, old if beside else None, None, told)
        starting = self._at_last(f"the query tells where {new} is to start", told)
        given = None if starting == NOTHING else starting
        beside = self._listed(cluster, new, old if beside else None, given, read)
        self._at_last(f"{new} is read", read)
        # The offsets have said what they had to, and would count again for a partition that comes later. Without the
        # old id the next driver could not read a batch that drains it.
        self._listed(cluster, new, old if beside else None, None, left)
        self._at_last(f"nothing of {old} is left to read", left)
        file.rename(cluster, new)

    def _listed(
        self, cluster: str, new: str, left: str | None, starting: str | None, probe: Callable[[], object]
    ) -> bool:
        """Lists the new id. Where that leads to nothing without the old one beside it, as when a batch is left over
        that reads it, the old one comes back; returns whether it is listed."""
        file = self._stage.file
        file.rename(cluster, new, left=left, starting=starting)
        if left is None and not self._comes(probe, _WITHOUT_SECONDS):
            file.rename(cluster, new, left=other_id(new), starting=starting)
            return True
        return left is not None

    def _at_last(self, claim: str, probe: Callable[[], Seen]) -> Seen:
        """However long that takes while faults are played, and soon after."""
        self._comes(probe, float("inf"))
        return eventually(claim, probe, within=_AFTERWARDS_SECONDS)

    def _reads(self, cluster_id: str, topic: str) -> bool:
        return reading(self._stage.checkpoint.committed(), cluster_id, topic)


def starting_offsets(log: str, cluster_id: str, topics: set[str]) -> str | None:
    """What the last warning of a log tells to give this id, if it names all these topics; nothing for none."""
    if not topics:
        return NOTHING
    warning = (
        rf"DUPLICATED\] Cluster {re.escape(cluster_id)} is the Kafka cluster .*: topic (.*)\. To go on .*"
        r"startingOffsets: (\{.*\})$"
    )
    found = re.findall(warning, log, re.MULTILINE)
    if not found:
        return None
    named, offsets = found[-1]
    return str(offsets) if topics <= set(named.split(", ")) else None
