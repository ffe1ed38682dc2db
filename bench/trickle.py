"""A few records for every partition, all the time."""

import threading
from collections.abc import Sequence
from types import TracebackType

from confluent_kafka import Producer

from bench.sources import Listed

PARTITIONS = 4
# Seconds between two records of one partition: so few that each trigger finds some in all of them.
PERIOD = 0.1


class Trickle:
    """Writes small records to all partitions of some topics, from a thread of its own, while it is open."""

    def __init__(self, listed: Sequence[Listed]) -> None:
        self._topics: dict[str, list[str]] = {}
        for one in listed:
            self._topics.setdefault(one.address, []).append(one.topic)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="trickle", daemon=True)

    def __enter__(self) -> "Trickle":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        producers = {address: Producer({"bootstrap.servers": address, "log_level": 0}) for address in self._topics}
        while not self._ended.wait(PERIOD):
            for address, topics in self._topics.items():
                producer = producers[address]
                for topic in topics:
                    for partition in range(PARTITIONS):
                        producer.produce(topic, value=b"x" * 100, partition=partition)
                producer.poll(0)
        for producer in producers.values():
            producer.flush(10)
