"""Records with their own number and time, which are recorded."""

import time
from collections.abc import Iterable, Sequence

from confluent_kafka import KafkaError, Message, Producer
from dynamic_kafka.testing._patience import QUICK
from tests.cluster.repeated import Repeated

from bench.ages import Written
from bench.sources import Listed

# Seconds between two steps.
PERIOD = 0.1
_FLUSH = 60.0
# Which partition: the client chooses.
_ANY = -1
# A record for a broker that is away is kept until the broker is back, and is stored once.
_CLIENT = {**QUICK, "enable.idempotence": True, "message.timeout.ms": 7_200_000, "linger.ms": 2}


class NumberedWrites(Repeated):
    """Writes records to topics from its own thread while it is open. At its end all are stored."""

    def __init__(self, name: str, period: float, addresses: Iterable[str]) -> None:
        super().__init__(name, period)
        self._written: list[Written] = []
        self._refused: list[KafkaError] = []
        self._open = {address: Producer({**_CLIENT, "bootstrap.servers": address}) for address in set(addresses)}

    def written(self) -> list[Written]:
        """All so far."""
        return list(self._written)

    def _write(self, one: Listed, partition: int = _ANY) -> None:
        number, now = len(self._written), int(time.time() * 1000)
        value = str(number).ljust(100)
        self._open[one.address].produce(
            one.topic, value=value, partition=partition, timestamp=now, on_delivery=self._delivered
        )
        self._written.append(Written(one.cluster_id, number, now))

    def _poll(self) -> None:
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


class TimedWrites(NumberedWrites):
    """``each`` records to each topic every 100 ms."""

    def __init__(self, listed: Sequence[Listed], each: int) -> None:
        super().__init__("timed-writes", PERIOD, (one.address for one in listed))
        self._listed = listed
        self._each = each

    def _step(self) -> None:
        for one in self._listed:
            for _ in range(self._each):
                self._write(one)
        self._poll()
