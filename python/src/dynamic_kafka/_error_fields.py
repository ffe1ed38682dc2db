"""The fields of an error, which its text ends with: what the text names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

# Nothing else in an error of the JVM looks like this, whatever texts from outside it quotes.
_MARK = " Fields: {"


@dataclass(frozen=True, slots=True)
class ErrorFields:
    """By name, all values of each field. A field with one value has it as a tuple of one."""

    values: Mapping[str, tuple[str | int, ...]]

    def text(self, name: str) -> str | None:
        """The value, if there is one alone."""
        value = self._one(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> int | None:
        """The same of a number."""
        value = self._one(name)
        return value if isinstance(value, int) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """All values, in the order of the text."""
        return tuple(value for value in self.values.get(name, ()) if isinstance(value, str))

    def _one(self, name: str) -> str | int | None:
        values = self.values.get(name, ())
        return values[0] if len(values) == 1 else None


NONE = ErrorFields(MappingProxyType({}))


def with_option(message: str, option: str | None) -> str:
    """The message of an error that Python raises about one option."""
    return message if option is None else f"{message} Fields: {json.dumps({'option': option})}"


def split(message: str) -> tuple[str, ErrorFields]:
    """The message without its fields, and the fields."""
    prose, mark, rest = message.partition(_MARK)
    found = _parsed("{" + rest) if mark else None
    return (message, NONE) if found is None else (prose, found)


def _parsed(text: str) -> ErrorFields | None:
    try:
        fields = json.loads(text)
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    values = {name: tuple(value) if isinstance(value, list) else (value,) for name, value in fields.items()}
    return ErrorFields(MappingProxyType(values))
