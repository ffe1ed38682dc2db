"""Writing numbered records, also in the background while a topology changes."""

import itertools
import threading
import time
from collections.abc import Iterable
from dataclasses import replace
from types import TracebackType
from typing import Protocol

from tests.cluster import KafkaCluster, Record, eventually


class Writable(Protocol):
    """Takes records, as a cluster does."""

    def produce(self, topic: str, records: Iterable[Record]) -> int: ...


Target = tuple[Writable, str]

# Between two writes of the background producer, seconds; and how many records each write holds.
_PAUSE, _BURST = 0.03, 5


def write(cluster: Writable, topic: str, *values: str, partition: int | None = None) -> list[str]:
    """Writes records with these values and returns the values."""
    cluster.produce(topic, [Record(None, value, partition=partition) for value in values])
    return list(values)


def numbered(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{number}" for number in range(count)]


class Mirrored:
    """A cluster and its mirror, which gets each record with the same partition and time, after the cluster itself."""

    def __init__(self, cluster: KafkaCluster, mirror: KafkaCluster, partitions: int) -> None:
        self._clusters = (cluster, mirror)
        self._partitions = itertools.cycle(range(partitions))

    def produce(self, topic: str, records: Iterable[Record]) -> int:
        now = int(time.time() * 1000)
        placed = [replace(record, partition=next(self._partitions), timestamp_ms=now) for record in records]
        for cluster in self._clusters:
            cluster.produce(topic, placed)
        return len(placed)


class IdProducer:
    """Writes ids on a thread, each once, in turn to each of its targets, until it is closed."""

    def __init__(self, *targets: Target) -> None:
        self._targets: tuple[Target, ...] = targets
        self._written: list[str] = []
        self._failure: BaseException | None = None
        self._turn = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="id-producer", daemon=True)

    def __enter__(self) -> "IdProducer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        if self._failure is not None and error is None:
            raise self._failure

    def move(self, *targets: Target) -> None:
        """From the return on, nothing goes elsewhere any more; without targets, nothing at all."""
        with self._turn:
            self._targets = targets

    def written(self) -> list[str]:
        """The ids that are in Kafka."""
        with self._turn:
            return list(self._written)

    def await_more(self, count: int) -> None:
        """Waits until so many ids have been written from now on."""
        before = len(self.written())
        eventually(
            f"{count} more ids are written", lambda: len(self.written()) - before, until=lambda n: n >= count, within=30
        )

    def _run(self) -> None:
        try:
            for turn in itertools.count():
                if self._over.wait(_PAUSE):
                    return
                with self._turn:
                    if self._targets:
                        self._burst(*self._targets[turn % len(self._targets)])
        except BaseException as failure:  # raised by the test's thread, when it closes this
            self._failure = failure

    def _burst(self, cluster: Writable, topic: str) -> None:
        first = len(self._written)
        self._written += write(cluster, topic, *(str(first + step) for step in range(_BURST)))
