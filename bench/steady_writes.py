"""Records at a steady rate, each with its own number and time, and what a query made of them."""

import itertools
import time
from collections.abc import Mapping, Sequence

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.consuming import consumer_of

from bench.ages import Written
from bench.sources import Listed
from bench.timed_writes import NumberedWrites

# Seconds between two steps.
_PERIOD = 0.01


class SteadyWrites(NumberedWrites):
    """So many records a second, to the topics in turn."""

    def __init__(self, listed: Sequence[Listed], rate: int) -> None:
        super().__init__("steady-writes", _PERIOD, (one.address for one in listed))
        self._turns = itertools.cycle(listed)
        self._rate = rate
        self._began = time.monotonic()

    def _step(self) -> None:
        due = int((time.monotonic() - self._began) * self._rate)
        for one in itertools.islice(self._turns, max(0, due - len(self._written))):
            self._write(one)
        self._poll()


class Arrivals:
    """The topic that a query writes to: when the broker appended each record there."""

    def __init__(self, cluster: KafkaCluster, topic: str) -> None:
        cluster.create_topic(topic, config={"message.timestamp.type": "LogAppendTime"})
        self.cluster, self.topic = cluster, topic
        self._consumer = consumer_of(cluster, f"of-{topic}", fetch_wait_max_ms=50)
        self._consumer.subscribe([topic])
        self._seconds: dict[int, float] = {}

    def close(self) -> None:
        self._consumer.close()

    def count(self) -> int:
        """How many have come. Raises ``AssertionError`` if one came twice."""
        for message in self._consumer.consume(10_000, 0.5):
            number = int(message.value() or b"")
            if number in self._seconds:
                raise AssertionError(f"Record {number} came twice.")
            self._seconds[number] = message.timestamp()[1] / 1000
        return len(self._seconds)

    def await_all(self, count: int, within: float = 120) -> None:
        eventually("all that was written has come", self.count, until=lambda seen: seen >= count, within=within)

    def came(self, written: Sequence[Written]) -> Mapping[Written, float]:
        """Of those that have come, when, in seconds."""
        return {one: self._seconds[one.number] for one in written if one.number in self._seconds}
