"""How a cluster is renamed while it is read, as docs/migrations.md has it."""

import re
from collections.abc import Callable
from typing import Protocol

from tests.chaos.checkpoint import reading
from tests.chaos.places import other_id
from tests.chaos.stage import Stage

# Without its old id a cluster whose driver dies meanwhile cannot drain: how long it may take before it gets it back.
_WITHOUT_SECONDS = 20.0
_SECONDS = 60.0


class Comes(Protocol):
    """Waits for a condition, and says whether it comes in time."""

    def __call__(self, condition: Callable[[], object], within: float) -> bool: ...


class Renaming:
    """The same for each cluster."""

    def __init__(self, stage: Stage, comes: Comes) -> None:
        self._stage = stage
        self._comes = comes

    def rename(self, cluster: str, *, beside: bool) -> None:
        """Gives a cluster its other id; back to the old one if nothing comes of it. ``beside``: the old id stays listed
        while it drains, for its address, as those need whose driver may start meanwhile."""
        file, journal = self._stage.file, self._stage.journal
        old = file.id_of(cluster)
        new, before = other_id(old), self._stage.driver.logged()

        def told() -> str | None:
            return starting_offsets(self._stage.driver.logged_since(before), new, file.topics(cluster))

        file.rename(cluster, new, left=old if beside else None)
        if not self._comes(told, _SECONDS if beside else _WITHOUT_SECONDS) and not beside:
            file.rename(cluster, new, left=old)
            self._comes(told, _SECONDS)
        starting = told()
        if starting is None:
            journal.note(f"not renamed in time, so not at all: {old}")
            file.rename(cluster, old)
            return
        file.rename(cluster, new, left=old if beside else None, starting=starting)
        if self._comes(lambda: self._reads(new, file.topics(cluster)), float("inf")):
            # They have said what they had to, and would count again for a topic that is deleted and created anew.
            file.rename(cluster, new)
            journal.count("cluster renamed, as planned")

    def _reads(self, cluster_id: str, topics: set[str]) -> bool:
        offset = self._stage.checkpoint.committed()
        return all(reading(offset, cluster_id, topic) for topic in topics)


def starting_offsets(log: str, cluster_id: str, topics: set[str]) -> str | None:
    """What the last warning of a log tells to give this id, if it names all these topics."""
    warning = (
        rf"DUPLICATED\] Cluster {re.escape(cluster_id)} is the Kafka cluster .*: topic (.*)\. To go on .*"
        r"startingOffsets: (\{.*\})$"
    )
    found = re.findall(warning, log, re.MULTILINE)
    if not found:
        return None
    named, offsets = found[-1]
    return str(offsets) if set(named.split(", ")) == topics else None
