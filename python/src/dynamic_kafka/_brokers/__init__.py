"""Kafka brokers on this machine, each a Java process, from jars of a pinned list: for the demo and for tests."""

# That of `jars.txt`.
KAFKA_VERSION = "4.3.1"


class SetupError(Exception):
    """Something that brokers need is not there. The text says what, and what to do."""
