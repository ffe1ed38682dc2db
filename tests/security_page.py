"""The examples and the table of docs/security.md."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

PAGE = Path(__file__).resolve().parents[1] / "docs" / "security.md"
PEM, STORES = "TLS in PEM", "TLS in PKCS12 or JKS"
ALONE = ", without the lines with `ssl.key`"
_FILE = """- streamId: orders
  clusterMetadataList:
    - clusterId: eu-1
      topics: [orders]
"""


def examples() -> dict[str, str]:
    """The files of streams, by the heading that each stands under, and what the text below a heading makes of them."""
    found = re.findall(r"^### ([^\n]+)$(?:(?!^#).)*?^```yaml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    files = {heading: text if text.startswith("-") else _FILE + indent(text, " " * 6) for heading, text in found}
    alone = {heading + ALONE: _without_keys(files[heading]) for heading in (PEM, STORES)}
    jks = alone[STORES + ALONE].replace("PKCS12", "JKS").replace(".p12", ".jks")
    return {**files, **alone, "TLS in JKS": jks}


def _without_keys(text: str) -> str:
    """The example for brokers that want no certificate."""
    kept = [line for line in text.splitlines() if not line.strip().startswith("ssl.key")]
    return "\n".join(kept).replace(":9095", ":9094")


@dataclass(frozen=True)
class Needs:
    """The operations that a principal must be allowed."""

    on_topics: tuple[str, ...]
    on_groups: tuple[str, ...]


def least() -> dict[str, Needs]:
    """What each feature needs, by its name in the table."""
    rows = re.findall(r"^\| (.+?) \| (.*?) ?\| (.*?) ?\|$", PAGE.read_text(), re.MULTILINE)
    return {name: Needs(_operations(topics), _operations(groups)) for name, topics, groups in rows[2:]}


def replaced(text: str, by: Mapping[str, str]) -> str:
    """The text with an example's addresses and files as they are here. Raises ``LookupError`` for one left over."""
    for there, here in by.items():
        text = text.replace(there, here)
    left = re.findall(r"\S*(?:example\.com|/etc/kafka|/run/secrets)\S*", text)
    if left:
        raise LookupError(f"Nothing stands for {left}.")
    return text


def _operations(cell: str) -> tuple[str, ...]:
    return tuple(re.findall(r"`([A-Z]+)`", cell))
