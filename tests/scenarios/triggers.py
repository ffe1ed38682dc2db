"""What each trigger of a query took, by its progress."""

from dataclasses import dataclass
from datetime import datetime

from tests.scenarios.queries import Running


@dataclass(frozen=True, slots=True)
class Trigger:
    """Seconds: when it ``began`` by the clock, how long it took as a whole, and to find the ends of the clusters."""

    batch: int
    began: float
    whole: float
    asking: float

    @property
    def ended(self) -> float:
        return self.began + self.whole


class Triggers:
    """Those of one query since the start of it. Spark keeps the last hundred, so ask more often than that."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._seen: dict[str, Trigger] = {}

    def look(self) -> list[Trigger]:
        """All that were seen so far, in the order of time."""
        self._running.check()
        for progress in self._running.query.recentProgress:
            took = progress.durationMs
            self._seen[progress.timestamp] = Trigger(
                batch=progress.batchId,
                began=datetime.fromisoformat(progress.timestamp).timestamp(),
                whole=took["triggerExecution"] / 1000,
                asking=took.get("latestOffset", 0) / 1000,
            )
        return sorted(self._seen.values(), key=lambda one: one.began)
