"""What happened so far, as values for the screen and the chart."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Batch:
    """One finished batch of the query, ``at`` seconds after the demo began, ``seconds`` after the batch before it.

    ``orders``, ``states`` and ``waiting`` are by cluster: orders read, the source's word for how the cluster does, and
    how many records it still holds for us.
    """

    number: int
    at: float
    seconds: float
    orders: Mapping[str, int]
    states: Mapping[str, str]
    waiting: Mapping[str, int]
    topology_change: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the demo did, or that the source said. ``marks_topology``: it changed where the stream lives."""

    at: float
    text: str
    by_source: bool = False
    marks_topology: bool = False


@dataclass(slots=True)
class History:
    """Grows while the demo runs, on its main thread alone."""

    batches: list[Batch] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def last(self) -> Batch | None:
        return self.batches[-1] if self.batches else None

    def orders(self) -> Counter[str]:
        """How many orders were read so far, by cluster."""
        total: Counter[str] = Counter()
        for batch in self.batches:
            total.update(batch.orders)
        return total

    def state(self, cluster: str) -> str:
        """The source's last word on a cluster; empty where it has none, as before it is listed and after it is gone."""
        return self.last.states.get(cluster, "") if self.last else ""

    def rates(self, cluster: str) -> list[float]:
        """For each batch, how many orders a second it brought from a cluster."""
        return [batch.orders.get(cluster, 0) / batch.seconds for batch in self.batches]

    def add(self, batch: Batch) -> None:
        """Adds a batch, and what the source says of a change of topology that it had not said before."""
        before = self.last.topology_change if self.last else ""
        if batch.topology_change not in ("", before):
            self.events.append(Event(batch.at, batch.topology_change, by_source=True))
        self.batches.append(batch)
