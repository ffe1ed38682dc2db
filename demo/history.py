"""What happened so far, as values for the screen and the chart."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Batch:
    """One finished batch of the query, ``at`` seconds after the demo began, ``seconds`` after the batch before it.

    ``orders``, ``states`` and ``waiting`` are by cluster: orders read, the state that the source reports, and how many
    records are not read yet.
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
    """Something that the demo did, or that the source reported. ``marks_topology``: the stream moved."""

    at: float
    text: str
    by_source: bool = False
    marks_topology: bool = False


@dataclass(slots=True)
class History:
    """Grows while the demo runs, only on its main thread."""

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
        """The last state of a cluster. Empty before the cluster is listed, and after it is gone."""
        return self.last.states.get(cluster, "") if self.last else ""

    def rates(self, cluster: str) -> list[float]:
        """For each batch, the orders per second from a cluster."""
        return [batch.orders.get(cluster, 0) / batch.seconds for batch in self.batches]

    def add(self, batch: Batch) -> None:
        """Adds a batch, and a change of topology that the source reports for the first time."""
        before = self.last.topology_change if self.last else ""
        if batch.topology_change not in ("", before):
            self.events.append(Event(batch.at, batch.topology_change, by_source=True))
        self.batches.append(batch)
