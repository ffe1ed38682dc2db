"""Writing numbered records, also in the background while a topology changes."""

import itertools
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from tests.cluster import KafkaCluster, Record, eventually
from tests.cluster.repeated import Repeated


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


def write_numbers(clusters: Iterable[Writable], topic: str, numbers: range) -> None:
    """Each number on partitions 0 and 1 of each cluster, a second apart."""
    for cluster, partition in itertools.product(clusters, (0, 1)):
        # A time of 0 would be now for the producer.
        records = [Record(None, f"{n}", timestamp_ms=1000 * (n + 1), partition=partition) for n in numbers]
        cluster.produce(topic, records)


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


class IdProducer(Repeated):
    """Writes ids on a thread, each once, in turn to each of its targets, until it is closed."""

    def __init__(self, *targets: Target) -> None:
        super().__init__("id-producer", _PAUSE)
        self._targets: tuple[Target, ...] = targets
        self._written: list[str] = []
        self._turns = itertools.count()

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

    def _step(self) -> None:
        if self._targets:
            cluster, topic = self._targets[next(self._turns) % len(self._targets)]
            first = len(self._written)
            self._written += write(cluster, topic, *(str(first + step) for step in range(_BURST)))
