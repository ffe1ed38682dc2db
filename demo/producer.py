"""Writes orders all the time. Each has its own id and is written once, to one cluster."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterable
from types import TracebackType

from tests.cluster import KafkaCluster

_PAUSE_SECONDS = 0.1


class OrderProducer:
    """Writes orders at a steady rate on its own thread, in turn to each of the current clusters.

    Ids count from 0. An order counts as written once its broker has confirmed it.
    """

    def __init__(self, topic: str, *, per_second: int) -> None:
        self._topic = topic
        self._per_second = per_second
        self._lock = threading.Lock()
        self._targets: tuple[KafkaCluster, ...] = ()
        self._written: Counter[str] = Counter()
        self._failure: BaseException | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="orders", daemon=True)

    def __enter__(self) -> "OrderProducer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def write_to(self, *clusters: KafkaCluster) -> None:
        """Changes the clusters that get orders. When it returns, no other cluster gets any more."""
        with self._lock:
            self._targets = clusters

    def burst(self, cluster: KafkaCluster, orders: int) -> None:
        """Writes this many orders to one cluster, now."""
        with self._lock:
            self._write([cluster], orders)

    def stop(self) -> None:
        """Returns when the last order is written. May be called again."""
        self._stopping.set()
        self._thread.join()

    def written(self) -> Counter[str]:
        """How many orders each cluster has confirmed. Raises the error if writing failed."""
        if self._failure is not None:
            raise self._failure
        with self._lock:
            return self._written.copy()

    def _run(self) -> None:
        last = time.monotonic()
        try:
            while not self._stopping.wait(_PAUSE_SECONDS):
                now = time.monotonic()
                with self._lock:
                    self._write(self._targets, round((now - last) * self._per_second))
                last = now
        except BaseException as failure:
            self._failure = failure  # written() raises it

    def _write(self, clusters: Iterable[KafkaCluster], orders: int) -> None:
        targets = tuple(clusters)
        first = self._written.total()
        for turn, cluster in enumerate(targets):
            ids = range(first + turn, first + orders, len(targets))
            self._written[cluster.name] += cluster.produce(self._topic, (_order(id_) for id_ in ids))


def _order(id_: int) -> tuple[str, str]:
    return f"customer-{id_ % 97}", json.dumps({"id": id_, "cents": 100 + id_ * 7919 % 9900})
