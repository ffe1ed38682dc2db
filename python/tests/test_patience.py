"""What can be done but once, though answers get lost."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from dynamic_kafka.testing._patience import patiently_once
from dynamic_kafka.testing._topics import Topics

DONE = KafkaError.TOPIC_ALREADY_EXISTS


def refusing(*codes: int) -> list[KafkaException]:
    return [KafkaException(KafkaError(code)) for code in codes]


@pytest.mark.parametrize(
    ("answers", "tried", "refused"),
    [
        (refusing(), False, False),
        (refusing(DONE), False, True),
        (refusing(DONE), True, False),
        (refusing(KafkaError._TIMED_OUT, DONE), False, False),
        (refusing(KafkaError.TOPIC_AUTHORIZATION_FAILED), True, True),
    ],
    ids=["done now", "it was there", "not there before", "after a lost answer", "another error"],
)
def test_that_it_is_done_already_counts_only_if_it_may_have_been_this_call(
    answers: list[KafkaException], tried: bool, refused: bool
) -> None:
    left = list(answers)

    def call() -> None:
        if left:
            raise left.pop(0)

    if refused:
        with pytest.raises(KafkaException):
            patiently_once("the topic is created", call, DONE, tried=tried)
    else:
        patiently_once("the topic is created", call, DONE, tried=tried)
    assert left == []


def test_a_client_that_never_finds_the_controller_is_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Stuck] = []

    def client(_: Topics) -> Stuck:
        opened.append(Stuck(stuck=not opened))
        return opened[-1]

    monkeypatch.setattr(Topics, "_client", client)
    topics = Topics("a", "localhost:1")
    topics._once("a change is made", lambda admin: admin.change(), DONE)  # type: ignore[attr-defined]
    assert [one.asked for one in opened] == [1, 1]


class Stuck:
    """A client that waits for a controller in vain, or does not."""

    def __init__(self, *, stuck: bool) -> None:
        self.asked = 0
        self._stuck = stuck

    def change(self) -> None:
        self.asked += 1
        if self._stuck:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
