"""The fields at the end of an error's text: the values that the text names."""

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
    json: str = ""
    """As they stand in a text."""

    def text(self, name: str) -> str | None:
        """The value, if there is exactly one."""
        value = self._one(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> int | None:
        """The same for a number."""
        value = self._one(name)
        return value if isinstance(value, int) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """All values, in the order of the text."""
        return tuple(value for value in self.values.get(name, ()) if isinstance(value, str))

    def _one(self, name: str) -> str | int | None:
        values = self.values.get(name, ())
        return values[0] if len(values) == 1 else None


NONE = ErrorFields(MappingProxyType({}))


def split(message: str, option: str | None = None) -> tuple[str, ErrorFields]:
    """The message without its fields, and the fields. An error of Python has at most `option`."""
    if option is not None:
        return message, ErrorFields(MappingProxyType({"option": (option,)}), json.dumps({"option": option}))
    prose, mark, rest = message.partition(_MARK)
    found = _parsed("{" + rest) if mark else None
    return (message, NONE) if found is None else (prose, found)


def joined(prose: str, fields: ErrorFields) -> str:
    """The message that `split` takes apart."""
    return f"{prose}{_MARK.removesuffix('{')}{fields.json}" if fields.json else prose


def _parsed(text: str) -> ErrorFields | None:
    try:
        fields = json.loads(text)
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    values = {name: tuple(value) if isinstance(value, list) else (value,) for name, value in fields.items()}
    return ErrorFields(MappingProxyType(values), text)
