"""Checks of the shape of values: one set raises the errors of options, the other those of metadata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType

from dynamic_kafka._options import OPTIONS as OPTIONS_OF_THE_SOURCE
from dynamic_kafka._redaction import ADDRESS
from dynamic_kafka.errors import InvalidMetadataError, InvalidOptionError, MetadataTypeError, OptionTypeError


@dataclass(frozen=True, slots=True)
class Checks:
    """Each check takes the name of a value, for errors, and the value. It returns the value with its type."""

    type_error: type[OptionTypeError] | type[MetadataTypeError]
    value_error: type[InvalidOptionError] | type[InvalidMetadataError]
    options: Mapping[str, str] = field(default_factory=dict)
    """For the error's field: the key of an option, by the name that a check gets."""

    def wrong_type(self, name: str, value: object, expected: str) -> Exception:
        """The error to raise. It names the type of the value, but never the value, which may be a secret."""
        return self.type_error(
            f"{name} is of type {type(value).__name__}; expected {expected}.", option=self.options.get(name)
        )

    def text(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.wrong_type(name, value, "a str")
        return value

    def flag(self, name: str, value: object) -> str:
        if not isinstance(value, bool):
            raise self.wrong_type(name, value, "a bool")
        return "true" if value else "false"

    def count(self, name: str, value: object) -> str:
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong_type(name, value, "an int")
        return str(value)

    def scalar(self, name: str, value: object) -> str:
        """The text of a str, bool or number, as Spark's own readers write it."""
        if isinstance(value, bool):
            return self.flag(name, value)
        if isinstance(value, (str, int, float)):
            return str(value)
        raise self.wrong_type(name, value, "a str, a bool or a number")

    def texts(self, name: str, values: object, *, or_else: str = "") -> frozenset[str]:
        """Refuses a bare str. `or_else` names what else is allowed, for the error."""
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise self.wrong_type(name, values, f"{or_else}an iterable of str")
        return frozenset(self.text(f"An element of {name}", value) for value in values)

    def mapping(self, name: str, value: object) -> Mapping[object, object]:
        if not isinstance(value, Mapping):
            raise self.wrong_type(name, value, "a mapping")
        return value

    def text_mapping(self, name: str, value: object) -> Mapping[str, str]:
        """An immutable copy of a mapping of str to str."""
        pairs = self.mapping(name, value).items()
        return MappingProxyType(
            {self.text(f"A key of {name}", key): self.text(f"{name}[{key!r}]", text) for key, text in pairs}
        )

    def duration(self, name: str, value: object) -> str:
        """The text of a duration, with its unit. A str is passed on as it is. A bare number is refused."""
        if isinstance(value, str):
            return value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            raise self.type_error(
                f"{name} is {value}, a number without a unit; write a str with a unit, such as '10s', or a timedelta.",
                option=self.options.get(name),
            )
        if not isinstance(value, timedelta):
            raise self.wrong_type(name, value, "a str with a unit, such as '10s', or a timedelta")
        if value < timedelta():
            raise self._wrong_duration(name, value, "a duration of 0 s or more")
        milliseconds = round(value / timedelta(milliseconds=1))
        if milliseconds == 0 and value:
            raise self._wrong_duration(name, value, "whole milliseconds")
        return f"{milliseconds // 1000}s" if milliseconds % 1000 == 0 else f"{milliseconds}ms"

    def _wrong_duration(self, name: str, value: timedelta, expected: str) -> Exception:
        return self.value_error(
            f"{name} is {value.total_seconds()} s; expected {expected}.", option=self.options.get(name)
        )

    def addressed(self, properties: object, address: object) -> Mapping[str, str]:
        """Kafka's properties, with the address that may be given apart from them."""
        given = self.text_mapping("properties", {} if properties is None else properties)
        if address is None:
            return given
        if ADDRESS in given:
            raise self.value_error(
                f"The address is set twice: by bootstrap_servers and by properties[{ADDRESS!r}]. Leave out one of them."
            )
        return MappingProxyType({**given, ADDRESS: self.text("bootstrap_servers", address)})


# Checks get the key itself, or the name of the builder's method.
_KEYS = {name: option.key for option in OPTIONS_OF_THE_SOURCE for name in (option.key, option.python_name)}

OPTIONS = Checks(OptionTypeError, InvalidOptionError, _KEYS)
METADATA = Checks(MetadataTypeError, InvalidMetadataError)
