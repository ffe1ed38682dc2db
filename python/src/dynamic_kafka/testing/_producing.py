"""Writing records, and knowing that they are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from dynamic_kafka.testing._patience import PATIENCE, QUICK
from dynamic_kafka.testing._records import Bytes, Record, as_records

Transaction: TypeAlias = Literal["none", "commit", "abort"]
ClientProperties: TypeAlias = "Mapping[str, str | int | float | bool]"

_EXACTLY_ONCE: ClientProperties = {
    "enable.idempotence": True,
    "message.timeout.ms": int(PATIENCE * 1000),
    "transaction.timeout.ms": int(PATIENCE * 1000),
    "linger.ms": 2,
    "delivery.report.only.error": True,
}


class Writer:
    """Writes each record exactly once and in order. Keeps one producer open, because a new one takes half a second."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._kept: Producer | None = None
        self._forgotten = 0

    def write(self, topic: str, records: Iterable[Record | tuple[Bytes, Bytes]], client: ClientProperties) -> int:
        """Returns how many records there were, once the broker has them all. ``client`` asks for a producer of its own.

        Raises ``KafkaException`` with the first failure of a delivery, or ``TimeoutError``.
        """
        forgotten = self._forgotten
        producer = self._open(client) if client else self._kept or self._open({})
        self._kept = None  # one that has failed is not used again
        count = _deliver(producer, topic, records)
        if not client and forgotten == self._forgotten:  # another thread may have called `forget`
            self._kept = producer
        return count

    def forget(self) -> None:
        """Gives up the open producer, which keeps for minutes what it once learned of a topic's partitions."""
        self._forgotten += 1
        self._kept = None

    def write_transaction(
        self, topic: str, records: Iterable[Record | tuple[Bytes, Bytes]], client: ClientProperties, *, commit: bool
    ) -> int:
        """The same in one transaction, which is then committed or aborted."""
        producer = self._open({"transactional.id": f"tests-{topic}", **client})
        producer.init_transactions(PATIENCE)
        producer.begin_transaction()
        count = _deliver(producer, topic, records)
        if commit:
            producer.commit_transaction(PATIENCE)
        else:
            producer.abort_transaction(PATIENCE)
        return count

    def _open(self, client: ClientProperties) -> Producer:
        return Producer({**QUICK, **_EXACTLY_ONCE, **client, "bootstrap.servers": self._address})


def _deliver(producer: Producer, topic: str, records: Iterable[Record | tuple[Bytes, Bytes]]) -> int:
    failures: list[KafkaError] = []

    def delivered(error: KafkaError | None, _: Message) -> None:
        if error is not None:
            failures.append(error)

    count = 0
    for record in as_records(records):
        while True:
            try:
                producer.produce(
                    topic,
                    key=record.key,
                    value=record.value,
                    headers=list(record.headers),
                    timestamp=record.timestamp_ms or 0,
                    partition=-1 if record.partition is None else record.partition,
                    on_delivery=delivered,
                )
                break
            except BufferError:
                producer.poll(0.1)  # the queue is full; this hands its head to the broker
        count += 1
    left = producer.flush(PATIENCE + 1)
    if failures:
        raise KafkaException(failures[0])
    if left:
        raise TimeoutError(f"{left} of {count} records for topic {topic} were not taken within {PATIENCE:g} s.")
    return count
