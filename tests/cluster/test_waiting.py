"""``eventually``, without a cluster."""

from collections.abc import Iterator

import pytest

from tests.cluster import NotYet, eventually


def test_a_wait_ends_with_what_was_looked_for() -> None:
    numbers = iter(range(10))
    assert eventually("three is reached", lambda: next(numbers), until=lambda seen: seen == 3, within=5) == 3


def test_a_failed_wait_names_its_claim_and_what_it_saw_last() -> None:
    with pytest.raises(AssertionError, match=r"pigs fly\. Seen last: \['walking'\]"):
        eventually("pigs fly", lambda: ["walking"], until=lambda seen: seen == ["flying"], within=0)


def test_a_failed_assertion_means_not_yet() -> None:
    def answers() -> Iterator[bool]:
        yield from (False, True)

    seen = answers()

    def probe() -> bool:
        if not next(seen):
            raise NotYet("still dark")
        return True

    assert eventually("it is light", probe, within=5)


def test_any_other_error_ends_the_wait_at_once() -> None:
    def probe() -> bool:
        raise KeyError("gone for good")

    with pytest.raises(KeyError):
        eventually("it comes back", probe, within=60)
