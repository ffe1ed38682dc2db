"""Whether each record came exactly once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from dynamic_kafka._brokers.waiting import NotYet, eventually

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

_SHOWN = 5
# A table or a folder that a query has not made yet.
_NOT_THERE = "AnalysisException"


def assert_each_once(
    read: Callable[[], Iterable[str]],
    written: Iterable[str],
    *,
    query: StreamingQuery | None = None,
    within: float = 60.0,
) -> None:
    """Waits until each text that was written has come out, and checks that none came more often than it was written.

    `read` gives all that has come out so far. It may raise Spark's `AnalysisException` while its table is not there.
    `within` is in seconds. With `query`, it waits until that query finds no more records, and then looks once more.
    In Real-Time Mode this lasts until the batch ends: use batches of some seconds in tests.

    Raises `AssertionError`, which says what is missing, came too often, or was never written. If the query has failed,
    raises what it failed with.

        >>> assert_each_once(lambda: ["a", "b"], ["b", "a"])
        >>> assert_each_once(lambda: ["a", "a"], ["a"])
        Traceback (most recent call last):
        AssertionError: 1 more than once: 'a'.
    """
    wanted = Counter(written)
    if not wanted:
        raise AssertionError("Nothing was written, so nothing can be shown.")

    def compared() -> Difference:
        failure = query.exception() if query is not None else None
        if failure is not None:
            raise failure
        return Difference(wanted, Counter(_rows(read)))

    found = eventually("each record has come", compared, until=lambda seen: seen.is_final(), within=within)
    if query is not None and query.isActive and not found:
        query.processAllAvailable()
        found = compared()
    if found:
        raise AssertionError(f"{found}.")


class Difference:
    """What is not as it was written; false if each came once."""

    def __init__(self, wanted: Mapping[str, int], seen: Mapping[str, int]) -> None:
        self._missing = [text for text, count in wanted.items() if seen.get(text, 0) < count]
        self._too_often = [text for text, count in wanted.items() if seen.get(text, 0) > count]
        self._unknown = [text for text in seen if text not in wanted]

    def __bool__(self) -> bool:
        return bool(self._missing or self._too_often or self._unknown)

    def is_final(self) -> bool:
        """Whether waiting can change nothing."""
        return bool(self._too_often or self._unknown) or not self._missing

    def __repr__(self) -> str:
        found = {"missing": self._missing, "more than once": self._too_often, "never written": self._unknown}
        return "; ".join(f"{len(texts)} {name}: {_shown(texts)}" for name, texts in found.items() if texts)


def _shown(texts: list[str]) -> str:
    return ", ".join(map(repr, texts[:_SHOWN])) + (", …" if len(texts) > _SHOWN else "")


def _rows(read: Callable[[], Iterable[str]]) -> list[str]:
    try:
        return list(read())
    except Exception as failure:
        if type(failure).__name__ == _NOT_THERE:
            raise NotYet(str(failure)) from failure
        raise
