"""How a cluster is renamed while it is read, as docs/migrations.md has it."""

from collections.abc import Callable
from typing import Protocol

from tests.chaos.checkpoint import reading
from tests.chaos.places import other_id
from tests.chaos.stage import Stage
from tests.cluster import eventually

_AFTERWARDS_SECONDS = 150.0


class Comes(Protocol):
    """Waits for a condition, and says whether it comes in time."""

    def __call__(self, condition: Callable[[], object], within: float) -> bool: ...


class Renaming:
    """The same for each cluster. What was begun is brought to its end, even when the run is over."""

    def __init__(self, stage: Stage, comes: Comes) -> None:
        self._stage = stage
        self._comes = comes

    def rename(self, cluster: str, draw: float, last: Callable[[], None]) -> None:
        """Gives a cluster its other id. By the draw, 0 to 1, both are listed first, until ``last`` returns; and by it
        the line that says what the new id continues is taken away as soon as the checkpoint says it."""
        file = self._stage.file
        old, topics = file.id_of(cluster), file.topics(cluster)
        new = other_id(old)
        if draw < 0.5:
            file.list_under(cluster, old, new)
            last()
        file.list_under(cluster, new)
        self._at_last(f"{new} is read", lambda: all(self._reads(new, topic) for topic in topics))
        if int(draw * 4) % 2:
            file.drop_line(cluster)

    def _at_last(self, claim: str, probe: Callable[[], bool]) -> None:
        """However long that takes while faults are played, and soon after."""
        self._comes(probe, float("inf"))
        eventually(claim, probe, within=_AFTERWARDS_SECONDS)

    def _reads(self, cluster_id: str, topic: str) -> bool:
        return reading(self._stage.checkpoint.committed(), cluster_id, topic)
