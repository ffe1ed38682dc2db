"""One record for each topic every 100 ms, each with a time of its own that is remembered."""

import threading
import time
from collections.abc import Sequence
from types import TracebackType

from confluent_kafka import Producer

from bench.ages import Written
from bench.sources import Listed

# Seconds between two records of one topic.
PERIOD = 0.1


class TimedWrites:
    """Writes from a thread of its own while it is open."""

    def __init__(self, listed: Sequence[Listed]) -> None:
        self._listed = listed
        self._written: list[Written] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="timed-writes", daemon=True)

    def __enter__(self) -> "TimedWrites":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def written(self) -> list[Written]:
        """All so far."""
        return list(self._written)

    def _run(self) -> None:
        opened = {
            address: Producer({"bootstrap.servers": address, "linger.ms": 0, "log_level": 0})
            for address in {one.address for one in self._listed}
        }
        while not self._ended.wait(PERIOD):
            for one in self._listed:
                now = int(time.time() * 1000)
                opened[one.address].produce(one.topic, value=b"x" * 100, timestamp=now)
                self._written.append(Written(one.cluster_id, now))
            for producer in opened.values():
                producer.poll(0)
        for producer in opened.values():
            producer.flush(10)
