"""Waiting for a condition, never for a duration."""

from __future__ import annotations

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

        >>> eventually("the query has three rows", lambda: 3, until=lambda count: count >= 3, within=10)
        3
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
        # A pause between two looks, so that looking does not starve what it waits for.
        time.sleep(every)
