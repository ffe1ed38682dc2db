"""What Kafka itself holds as committed, by a reader that shares no code with what is tested."""

from collections.abc import Callable

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

from tests.chaos.places import Ack
from tests.cluster.patience import QUICK, patiently

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

    def values(self, topic: str) -> set[str]:
        """All values that are there, up to the first transaction that is open."""
        client = self._client = self._client or self._open()
        listed = patiently(f"topic {topic} is listed", lambda: client.list_topics(topic, timeout=5))
        partitions = listed.topics[topic].partitions
        client.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in partitions])
        found, left = set(), set(partitions)
        while left:
            message = client.poll(_PATIENCE)
            if message is None:
                raise AssertionError(f"No answer within {_PATIENCE:.0f} s from {self._address} of topic {topic}")
            error = message.error()
            if error is None:
                found.add((message.value() or b"").decode())
            elif error.code() == KafkaError._PARTITION_EOF:
                left.discard(message.partition())
            elif error.fatal():
                raise KafkaException(error)
        return found

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
