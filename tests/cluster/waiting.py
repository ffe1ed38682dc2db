"""Waiting for a condition, never for a duration."""

import time
from collections.abc import Callable
from typing import TypeVar

Seen = TypeVar("Seen")


class NotYet(AssertionError):  # noqa: N818 - an answer rather than an error
    """What a probe raises to say that it looked and the thing is not there yet."""


def eventually(
    claim: str,
    probe: Callable[[], Seen],
    *,
    within: float,
    until: Callable[[Seen], object] = bool,
    every: float = 0.05,
) -> Seen:
    """Looks again and again until ``until`` accepts what ``probe`` gives, and returns that.

    ``within`` and ``every`` are seconds. An ``AssertionError`` out of the probe or of ``until`` means "not yet"; any
    other exception ends the wait at once. The probe is asked at least once. Raises an ``AssertionError`` that names the
    claim and what was seen last.
    """
    deadline = time.monotonic() + within
    while True:
        try:
            seen = probe()
            if until(seen):
                return seen
            last = repr(seen)
        except AssertionError as error:
            last = str(error) or type(error).__name__
        if time.monotonic() >= deadline:
            raise AssertionError(f"Not within {within:g} s: {claim}. Seen last: {last}")
        # The one sleep of the tests: a pause between two looks, so that looking does not starve what it waits for.
        time.sleep(every)
