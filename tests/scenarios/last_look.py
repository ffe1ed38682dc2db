"""What a test said last of its queries, looked at once more when the test is over."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cluster import NotYet, eventually
from tests.scenarios.queries import ANSWER_AGE, Queries, Running

# How long a query may take until it finds nothing more, seconds.
_CATCHING_UP = 40.0


@contextmanager
def watched(folder: Path, has_failed: Callable[[], bool]) -> Iterator[Queries]:
    """Queries for a block, at whose end they are looked at once more and stopped. A test that has failed is not
    judged again."""
    started = Queries(folder)
    try:
        yield started
        if not has_failed():
            _look_once_more(started)
    finally:
        started.stop()


def _look_once_more(queries: Queries) -> None:
    """Lets each query that still runs catch up, and compares its rows with what its test awaited last.

    Without it, a row that comes twice one batch after the last wait is seen by nobody.
    """
    since = time.time() + ANSWER_AGE
    looked_at = [running for running in queries if running.claim is not None and not running.excuse]
    for running in looked_at:
        _await_rest(running, since)
    for running in looked_at:
        missing, unexpected = running.difference(running.claim or {})
        if not running.query.isActive:
            # Nothing goes by itself: a test that has a batch left over takes its rows away.
            missing.clear()
        if missing or unexpected:
            differs = f"missing {dict(missing)}, unexpected {dict(unexpected)}"
            raise AssertionError(f"{running.name} did not stay as its test saw it last: {differs}")


def _await_rest(running: Running, since: float) -> None:
    """Waits for a trigger that began later than ``since`` and found nothing; returns at once if the query has ended."""

    def at_rest() -> bool:
        if not running.failure_awaited:
            running.check()
        if not running.query.isActive:
            return True
        if not running.is_at_rest_since(since):
            raise NotYet(f"each trigger since had a batch; the last ones: {running.logged('offsets')[-3:]}")
        return True

    eventually(f"{running.name} has caught up when its test is over", at_rest, within=_CATCHING_UP)
