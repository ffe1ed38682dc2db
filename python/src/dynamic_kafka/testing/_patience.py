"""Calls to a cluster that may be about to come up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from confluent_kafka import KafkaError, KafkaException

from dynamic_kafka._brokers.waiting import NotYet, eventually

Answer = TypeVar("Answer")

# How long one call may take in all, the start of the broker and all tries included; seconds.
PATIENCE = 60.0

# What a cluster says while it comes up. That a topic is unknown is not among them: that is an answer.
_COMING_UP = {
    KafkaError._TRANSPORT,
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._TIMED_OUT,
    # The client knows the broker under its number by now, and drops what it was called before.
    KafkaError._DESTROY_BROKER,
    KafkaError._WAIT_COORD,
    # "No leaders found", of any partition that it was asked about.
    KafkaError._NOENT,
    KafkaError.REQUEST_TIMED_OUT,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.NOT_CONTROLLER,
    # Metadata of the client and of the broker are not of the same moment, as just after a topic's creation.
    KafkaError.UNKNOWN_LEADER_EPOCH,
    KafkaError.FENCED_LEADER_EPOCH,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.NOT_COORDINATOR,
    KafkaError.NETWORK_EXCEPTION,
    KafkaError.BROKER_NOT_AVAILABLE,
    # A broker that was away is not counted until it says that it is there.
    KafkaError.INVALID_REPLICATION_FACTOR,
}

# For every client of a test: a broker that is back is noticed at once, and one that is away is not logged.
QUICK: dict[str, str | int | float | bool] = {
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 200,
    "log_level": 0,
}


def patiently(claim: str, call: Callable[[], Answer], *, within: float = PATIENCE) -> Answer:
    """The answer of ``call``, tried again as long as the cluster says that it is coming up; other errors pass."""

    def attempt() -> list[Answer]:
        try:
            return [call()]
        except KafkaException as error:
            if is_coming_up(error.args[0]):
                raise NotYet(str(error)) from error
            raise

    return eventually(claim, attempt, within=within)[0]


def patiently_once(claim: str, call: Callable[[], object], done: int, *, tried: bool = False) -> None:
    """Does something that can be done only once. ``done`` is Kafka's error if it is done already. This error counts as
    success after a first try, whose answer may be lost. With ``tried`` it counts at once, because Kafka's client and
    brokers send a request again by themselves."""

    def attempt() -> None:
        nonlocal tried
        try:
            call()
        except KafkaException as error:
            if not tried or code_of(error) != done:
                tried = True
                raise

    patiently(claim, attempt)


def code_of(error: KafkaException) -> int:
    """Kafka's number of what went wrong."""
    reason: KafkaError = error.args[0]
    return reason.code()


def is_coming_up(error: KafkaError) -> bool:
    """Whether this is an error of a cluster that is down or comes up."""
    return error.code() in _COMING_UP
