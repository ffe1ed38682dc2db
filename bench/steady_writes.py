"""Records at a steady rate, each with its own number and time, and what a query made of them."""

import itertools
import time
from collections.abc import Mapping, Sequence

from confluent_kafka import KafkaError, Message, Producer
from dynamic_kafka.testing._patience import QUICK
from tests.cluster import KafkaCluster, eventually
from tests.cluster.repeated import Repeated
from tests.scenarios.consuming import consumer_of

from bench.ages import Written
from bench.sources import Listed

# Seconds between two steps.
_PERIOD = 0.01
_FLUSH = 60.0
_CLIENT = {**QUICK, "enable.idempotence": True, "message.timeout.ms": 7_200_000, "linger.ms": 1}


class SteadyWrites(Repeated):
    """Writes so many records a second while it is open, to the topics in turn. At its end all are stored."""

    def __init__(self, listed: Sequence[Listed], rate: int) -> None:
        super().__init__("steady-writes", _PERIOD)
        self._turns = itertools.cycle(listed)
        self._rate = rate
        self._began = time.monotonic()
        self._written: list[Written] = []
        self._refused: list[KafkaError] = []
        self._open = {
            address: Producer({**_CLIENT, "bootstrap.servers": address}) for address in {one.address for one in listed}
        }

    def written(self) -> list[Written]:
        """All so far."""
        return list(self._written)

    def _step(self) -> None:
        due = int((time.monotonic() - self._began) * self._rate)
        for number in range(len(self._written), due):
            one, now = next(self._turns), int(time.time() * 1000)
            value = str(number).ljust(100)
            self._open[one.address].produce(one.topic, value=value, timestamp=now, on_delivery=self._delivered)
            self._written.append(Written(one.cluster_id, number, now))
        for producer in self._open.values():
            producer.poll(0)

    def _delivered(self, error: KafkaError | None, _: Message) -> None:
        if error is not None:
            self._refused.append(error)

    def _run(self) -> None:
        super()._run()
        left = sum(producer.flush(_FLUSH) for producer in self._open.values())
        if left or self._refused:
            self._failure = self._failure or RuntimeError(f"{left} records are not stored; refused: {self._refused}")


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
