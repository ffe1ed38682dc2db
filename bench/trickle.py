"""A few records for every partition, all the time."""

from collections.abc import Sequence

from confluent_kafka import Producer
from tests.cluster.repeated import Repeated

from bench.sources import Listed

PARTITIONS = 4
# Seconds between two records of one partition: so short that each trigger finds records in all partitions.
PERIOD = 0.1
# Records that wait in a client, which has room for twice as many. Beyond, writing waits for a broker that is behind.
_WAITING = 50_000


class Trickle(Repeated):
    """Writes small records to all partitions of some topics from its own thread while it is open."""

    def __init__(self, listed: Sequence[Listed], partitions: int = PARTITIONS, period: float = PERIOD) -> None:
        super().__init__("trickle", period)
        self._listed = listed
        self._partitions = partitions
        self._open = {
            address: Producer({"bootstrap.servers": address, "log_level": 0})
            for address in {one.address for one in listed}
        }

    def _step(self) -> None:
        for one in self._listed:
            for partition in range(self._partitions):
                producer = self._open[one.address]
                while len(producer) >= _WAITING and not self._over.is_set():
                    producer.poll(0.1)
                producer.produce(one.topic, value=b"x" * 100, partition=partition)
        for producer in self._open.values():
            producer.poll(0)

    def _run(self) -> None:
        super()._run()
        for producer in self._open.values():
            producer.flush(10)
