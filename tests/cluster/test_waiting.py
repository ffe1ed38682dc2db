"""``eventually``, without a cluster."""

from collections.abc import Iterator

import pytest

from tests.cluster import NotYet, eventually


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
