"""Makes texts safe to show: those that may contain secrets, and names, which may hold any character."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

ADDRESS = "bootstrap.servers"

# Control and format characters, line and paragraph separators, and surrogates, which can't even be printed.
_INVISIBLE = ("Cc", "Cf", "Zl", "Zp", "Cs")

# A user and a password before the host of a URL.
_USER = re.compile(r"(?<=://)[^/@]*@")


def shown_address(text: str) -> str:
    """An address or a path in quotes, without the user and password of a URL."""
    return repr(_USER.sub("...@", text))


def shown_properties(properties: Mapping[str, str]) -> str:
    """Kafka's properties by name. Only the address is shown with its value."""
    shown = {name: shown_address(value) if name == ADDRESS else "..." for name, value in sorted(properties.items())}
    return f"{{{', '.join(f'{name!r}: {value}' for name, value in shown.items())}}}"


def printable(text: str, *, keep: str = "") -> str:
    """The text with codes in place of invisible characters, as in the source's own messages.

    A name may hold any character. A line end in it must not forge a line, and an escape sequence or a mark of direction
    must not change what a terminal shows. `keep` are invisible characters that stay.
    """
    if text.isprintable():
        return text
    return "".join(
        _code(char) if char not in keep and unicodedata.category(char) in _INVISIBLE else char for char in text
    )


def _code(char: str) -> str:
    number = ord(char)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
