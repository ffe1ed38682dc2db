"""Plain consumers in a group, which commit what they have read."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Consumer, KafkaException
from dynamic_kafka.testing._patience import QUICK, is_coming_up
from dynamic_kafka.testing._producing import ClientProperties

from tests.cluster import KafkaCluster, eventually
from tests.cluster.repeated import Repeated

# How long one waits for a record, and between two records on a thread; seconds.
_POLL, _PAUSE = 0.2, 0.005
_PATIENCE = 60.0
# A group learns of a new member within a moment.
_HASTY: ClientProperties = {"heartbeat.interval.ms": 200, "session.timeout.ms": 6000}


def consumer_of(cluster: KafkaCluster, group: str, **settings: str | int | bool) -> Consumer:
    """A consumer of this group that begins at the earliest record; underscores in names of settings are dots."""
    dotted = {name.replace("_", "."): value for name, value in settings.items()}
    address = {"bootstrap.servers": cluster.second_address, "group.id": group, "auto.offset.reset": "earliest"}
    # The newer protocol has its own times, which the broker sets.
    times = {} if dotted.get("group.protocol") == "consumer" else _HASTY
    return Consumer({**QUICK, **address, **times, **dotted})


@contextmanager
def subscribed(cluster: KafkaCluster, group: str, topic: str, **settings: str | int | bool) -> Iterator[Consumer]:
    """The same, subscribed to a topic, and closed afterwards."""
    consumer = consumer_of(cluster, group, **settings)
    consumer.subscribe([topic])
    try:
        yield consumer
    finally:
        consumer.close()


def taken(consumer: Consumer, count: int) -> list[str]:
    """The values of the next so many records."""
    found: list[str] = []

    def more() -> int:
        value = _next(consumer)
        found.extend([] if value is None else [value])
        return len(found)

    eventually(f"{count} records are consumed", more, until=lambda seen: seen == count, within=_PATIENCE, every=0)
    return found


def _next(consumer: Consumer) -> str | None:
    message = consumer.poll(_POLL)
    if message is None:
        return None
    error = message.error()
    if error is None:
        return (message.value() or b"").decode()
    if is_coming_up(error):
        return None
    raise KafkaException(error)


class Member(Repeated):
    """One of a group, which commits by itself, now and then and when it leaves: the end of the block."""

    _numbers = itertools.count(1)

    def __init__(self, cluster: KafkaCluster, group: str, topic: str, **settings: str | int | bool) -> None:
        super().__init__(f"member-{next(self._numbers)}-{group}", _PAUSE)
        self._consumer = consumer_of(cluster, group, auto_commit_interval_ms=100, **settings)
        self._consumer.subscribe([topic])
        self._read: list[str] = []

    def read(self) -> list[str]:
        """The values that it was given so far."""
        with self._turn:
            return list(self._read)

    def await_more(self, count: int) -> None:
        before = len(self.read())
        eventually(
            f"a member reads {count} more",
            lambda: len(self.read()) - before,
            until=lambda seen: seen >= count,
            within=_PATIENCE,
        )

    def _step(self) -> None:
        value = _next(self._consumer)
        self._read += [] if value is None else [value]

    def _run(self) -> None:
        super()._run()
        self._consumer.close()
