"""The command that explains the condition of an error. The JVM's errors have it too, after what happened."""

from __future__ import annotations

import re

_PREFIX = "DYNAMIC_KAFKA_"
# An error without a condition of its own has no further explanation.
_UNEXPLAINED = f"{_PREFIX}FAILED"
_HELP = re.compile(r"[ \n]More: dynamic-kafka explain [A-Z_]+\.$")


def help_of(condition: str) -> str:
    """How to read more of a condition, without a network. Empty if there is no more."""
    return "" if condition == _UNEXPLAINED else f"More: dynamic-kafka explain {condition.removeprefix(_PREFIX)}."


def with_help(prose: str, condition: str) -> str:
    """What happened, and then the command: on its own line if the text has several, as the last may be a quotation."""
    text = help_of(condition)
    if not text or _HELP.search(prose):
        return prose
    return "\n".join((prose, text)) if "\n" in prose else f"{prose} {text}"


def without_help(prose: str) -> str:
    """What happened alone."""
    return _HELP.sub("", prose)
