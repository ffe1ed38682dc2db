"""Plain consumers in a group, which commit what they have read."""

from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Consumer, KafkaException
from dynamic_kafka.testing._patience import QUICK, is_coming_up
from dynamic_kafka.testing._producing import ClientProperties

from tests.cluster import KafkaCluster, eventually

# How long one waits for a record, and for all of them; seconds.
_POLL, _PATIENCE = 0.2, 60.0
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
