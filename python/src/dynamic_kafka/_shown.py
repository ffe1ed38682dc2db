"""Makes texts that may contain secrets safe to show."""

from __future__ import annotations

import re
from collections.abc import Mapping

ADDRESS = "bootstrap.servers"

# A user and a password before the host of a URL.
_USER = re.compile(r"(?<=://)[^/@]*@")


def shown_address(text: str) -> str:
    """An address or a path in quotes, without the user and password of a URL."""
    return repr(_USER.sub("...@", text))


def shown_properties(properties: Mapping[str, str]) -> str:
    """Kafka's properties by name. Only the address is shown with its value."""
    shown = {name: shown_address(value) if name == ADDRESS else "..." for name, value in sorted(properties.items())}
    return f"{{{', '.join(f'{name!r}: {value}' for name, value in shown.items())}}}"
