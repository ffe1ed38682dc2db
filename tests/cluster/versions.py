"""Which Kafka the brokers are of."""

import os

NEWEST = "4.3.1"
# The last release before Kafka 4, and the last that many clusters will run for long.
OLDER = "3.9.2"

CHOICE = "DYNAMIC_KAFKA_BROKER_VERSION"


def chosen_version() -> str:
    """That of every cluster which asks for none: the newest, or what the environment says."""
    return os.environ.get(CHOICE) or NEWEST
