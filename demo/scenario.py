"""The story: orders are on eu-1, then on both clusters, then only on eu-2."""

from collections.abc import Callable, Sequence

from tests.cluster import KafkaCluster, eventually

from demo.clock import Clock
from demo.directory import Directory
from demo.history import Event, History
from demo.producer import OrderProducer
from demo.reading import OrderQuery
from demo.screen import Board, Screen
from demo.stopping import StopRequest

_PATIENCE_SECONDS = 60
_LOOK_EVERY_SECONDS = 0.25
_PER_PHASE = 10_000
_BURST = 15_000


class Scenario:
    """Plays the story on two clusters, and records its history."""

    def __init__(
        self,
        clusters: Sequence[KafkaCluster],
        directory: Directory,
        producer: OrderProducer,
        query: OrderQuery,
        screen: Screen,
        stop: StopRequest,
    ) -> None:
        self._clusters = clusters
        self._directory = directory
        self._producer = producer
        self._query = query
        self._screen = screen
        self._stop = stop
        self._clock = Clock()
        self._listed: frozenset[str] = frozenset()
        self.history = History()

    def play(self, start: Callable[[], None]) -> None:
        """``start`` starts the query after the stream is listed for the first time."""
        old, new = self._clusters
        self._move(old)
        start()
        self._until(f"the query reads {old.name}", lambda: self.history.state(old.name) == "reading")
        self._producer.write_to(old)
        self._until(f"orders are read from {old.name}", lambda: self._read(old) >= _PER_PHASE)

        self._move(old, new)
        self._until(f"the query reads {new.name}", lambda: self.history.state(new.name) == "reading")
        self._producer.write_to(old, new)
        self._tell("orders are written to both")
        self._until(f"orders are read from {new.name}", lambda: self._read(new) >= _PER_PHASE / 2)

        self._producer.write_to(new)
        self._producer.burst(old, _BURST)
        self._tell(f"{_BURST:,} last orders on {old.name}, from now on all go to {new.name}")
        self._move(new)
        self._until(f"the query leaves {old.name}", lambda: not self.history.state(old.name))
        read = self._read(new)
        self._until(f"orders are read from {new.name} alone", lambda: self._read(new) >= read + _PER_PHASE)

        self._producer.stop()
        self._tell("no more orders")
        written = self._producer.written().total()
        self._until("all orders are read", lambda: self.history.orders().total() >= written)

    def _move(self, *clusters: KafkaCluster) -> None:
        self._directory.move(*clusters)
        self._listed = frozenset(cluster.name for cluster in clusters)
        self._tell(f"orders is on {' and '.join(cluster.name for cluster in clusters)}", marks_topology=True)

    def _tell(self, text: str, *, marks_topology: bool = False) -> None:
        self.history.events.append(Event(self._clock.now(), text, marks_topology=marks_topology))

    def _read(self, cluster: KafkaCluster) -> int:
        return self.history.orders()[cluster.name]

    def _until(self, claim: str, reached: Callable[[], bool]) -> None:
        def look() -> str:
            self._refresh()
            return "" if reached() else f"{self.history.last}"

        eventually(claim, look, until=lambda seen: not seen, within=_PATIENCE_SECONDS, every=_LOOK_EVERY_SECONDS)

    def _refresh(self) -> None:
        self._stop.check()
        for batch in self._query.new_batches(self._clock):
            self.history.add(batch)
        names = [cluster.name for cluster in self._clusters]
        self._screen.show(Board(self._clock.now(), names, self._listed, self._producer.written(), self.history))
