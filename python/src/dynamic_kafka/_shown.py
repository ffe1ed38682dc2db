"""What may be shown of texts that may hold secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping

ADDRESS = "bootstrap.servers"

# A user and a password before the host of a URL.
_USER = re.compile(r"(?<=://)[^/@]*@")


def shown_address(text: str) -> str:
    """An address or a path in quotes, without what a URL may say of a user."""
    return repr(_USER.sub("...@", text))


def shown_properties(properties: Mapping[str, str]) -> str:
    """Kafka's properties by name, with the value of the address alone."""
    shown = {name: shown_address(value) if name == ADDRESS else "..." for name, value in sorted(properties.items())}
    return f"{{{', '.join(f'{name!r}: {value}' for name, value in shown.items())}}}"
