"""Which Kafka the brokers are of."""

import os

from dynamic_kafka._brokers import KAFKA_VERSION

NEWEST = KAFKA_VERSION
# The last release before Kafka 4, and the last that many clusters will run for long.
OLDER = "3.9.2"
# The oldest that Kafka's client talks to, and one of the time between. Both need ZooKeeper.
OLDEST = ("2.1.1", "2.8.2")
_WITHOUT_ZOOKEEPER = (3, 3)

CHOICE = "DYNAMIC_KAFKA_BROKER_VERSION"


def chosen_version() -> str:
    """That of every cluster which asks for none: the newest, or what the environment says."""
    return os.environ.get(CHOICE) or NEWEST


def needs_zookeeper(version: str) -> bool:
    return tuple(int(part) for part in version.split(".")[:2]) < _WITHOUT_ZOOKEEPER


def has_topic_ids(version: str) -> bool:
    """Whether a topic that was created anew has another id than before."""
    return tuple(int(part) for part in version.split(".")[:2]) >= (2, 8)
