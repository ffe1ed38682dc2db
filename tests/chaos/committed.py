"""What Kafka itself holds as committed, by a reader that shares no code with what is tested."""

import time
from collections.abc import Callable

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition
from dynamic_kafka.testing._patience import QUICK, patiently

from tests.chaos.places import Ack
from tests.cluster import eventually

_POLL_SECONDS = 0.2
_POLLS = 25
_PATIENCE = 60.0


class CommittedReader:
    """For one thread. Opens its client at the first question."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._client: Consumer | None = None

    def holds(self, id_: str, place: Ack, over: Callable[[], bool]) -> bool | None:
        """Whether this id is there once the transaction around it has ended; ``None`` if it is ``over`` before."""
        while not over():
            held = self._look(id_, place, over)
            if held is not None:
                return held
            # A client that was there while its broker was away may keep asking with what it knew then.
            self.close()
        return None

    def places(self, topic: str) -> dict[str, tuple[int, int]]:
        """Partition and offset of each value that is there, up to the first transaction that is open. Raises
        ``AssertionError`` if that takes too long."""
        until = time.monotonic() + _PATIENCE
        client = self._client = self._client or self._open()
        left = set(
            eventually(f"topic {topic} has partitions", lambda: self._partitions(client, topic), within=_PATIENCE)
        )
        client.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in left])
        found = {}
        while left:
            assert time.monotonic() < until, f"topic {topic} at {self._address} was not read within {_PATIENCE:.0f} s"
            message = client.poll(_POLL_SECONDS)
            error = None if message is None else message.error()
            if message is not None and error is None:
                found[(message.value() or b"").decode()] = (message.partition() or 0, message.offset() or 0)
            elif message is not None and error is not None and error.code() == KafkaError._PARTITION_EOF:
                left.discard(message.partition() or 0)
            elif error is not None and error.fatal():
                raise KafkaException(error)
        return found

    def _partitions(self, client: Consumer, topic: str) -> list[int]:
        listed = patiently(f"topic {topic} is listed", lambda: client.list_topics(topic, timeout=5)).topics[topic]
        return [] if listed.error is not None else list(listed.partitions)

    def _look(self, id_: str, place: Ack, over: Callable[[], bool]) -> bool | None:
        client = self._client = self._client or self._open()
        client.assign([TopicPartition(place.source.topic, place.partition, place.offset)])
        for _ in range(_POLLS):
            if over():
                return None
            message = client.poll(_POLL_SECONDS)
            if message is None:
                continue
            error = message.error()
            if error is None:
                value = message.value()
                return message.offset() == place.offset and value is not None and value.decode() == id_
            # The end is before what is not decided yet.
            if error.code() == KafkaError._PARTITION_EOF and (message.offset() or 0) > place.offset:
                return False
            if error.fatal():
                raise KafkaException(error)
        return None

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _open(self) -> Consumer:
        settings = {"isolation.level": "read_committed", "enable.partition.eof": True, "enable.auto.commit": False}
        return Consumer({**QUICK, **settings, "bootstrap.servers": self._address, "group.id": "committed"})
