"""One record for each topic every 100 ms, each with its own time, which is recorded."""

import time
from collections.abc import Sequence

from confluent_kafka import Producer
from tests.cluster.repeated import Repeated

from bench.ages import Written
from bench.sources import Listed

# Seconds between two records of one topic.
PERIOD = 0.1


class TimedWrites(Repeated):
    """Writes from its own thread while it is open."""

    def __init__(self, listed: Sequence[Listed]) -> None:
        super().__init__("timed-writes", PERIOD)
        self._listed = listed
        self._written: list[Written] = []
        self._open = {
            address: Producer({"bootstrap.servers": address, "linger.ms": 0, "log_level": 0})
            for address in {one.address for one in listed}
        }

    def written(self) -> list[Written]:
        """All so far."""
        return list(self._written)

    def _step(self) -> None:
        for one in self._listed:
            now = int(time.time() * 1000)
            self._open[one.address].produce(one.topic, value=b"x" * 100, timestamp=now)
            self._written.append(Written(one.cluster_id, now))
        for producer in self._open.values():
            producer.poll(0)

    def _run(self) -> None:
        super()._run()
        for producer in self._open.values():
            producer.flush(10)
