"""Our text in an exception of Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

CONDITION = re.compile(r"\[(DYNAMIC_KAFKA_[A-Z_]+)\] ")

# What may follow our text inside a longer one: a Java stack trace, or Spark's text about the failed query.
_AFTERWARDS = re.compile(r"\n\tat |\n+JVM stacktrace:|(?: SQLSTATE: \w+)?\n+=== Streaming Query ===")


class OurText(NamedTuple):
    """The text of an error of this source, and the condition in it."""

    condition: str
    text: str


def our_text(exception: BaseException) -> OurText | None:
    """The text without what Spark puts around it. None if there is none."""
    texts = [_text(link) for link in _chain(exception)]
    # The innermost exception that begins with a condition has only our text. The others may quote it.
    exact = [text for text in texts if CONDITION.match(text)]
    for text in [*reversed(exact), *texts]:
        named = CONDITION.search(text)
        if named:
            return OurText(named[1], _AFTERWARDS.split(text[named.start() :], maxsplit=1)[0])
    return None


def _chain(exception: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = exception
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        # PySpark keeps the cause of a JVM exception in its own attribute.
        link = getattr(link, "_cause", None) or link.__cause__


def _text(exception: BaseException) -> str:
    # For PySpark's exceptions `str` may append the JVM's stack trace. This attribute has only the message.
    message = getattr(exception, "_desc", None)
    return message if isinstance(message, str) else str(exception)
