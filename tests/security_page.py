"""The examples and the table of docs/security.md."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

import yaml

PAGE = Path(__file__).resolve().parents[1] / "docs" / "security.md"
PEM, STORES = "TLS in PEM", "TLS in PKCS12 or JKS"
_VENDORS = "\n## Vendors' logins\n"
ALONE = ", without the lines with `ssl.key`"
_FILE = """- streamId: orders
  clusterMetadataList:
    - clusterId: eu-1
      topics: [orders]
"""


def examples() -> dict[str, str]:
    """The files of streams, by the heading that each stands under, and what the text below a heading makes of them."""
    found = {heading: text for heading, _, text in _blocks(PAGE.read_text().partition(_VENDORS)[0])}
    files = {heading: text if text.startswith("-") else _in_file(text) for heading, text in found.items()}
    alone = {heading + ALONE: _without_keys(files[heading]) for heading in (PEM, STORES)}
    jks = alone[STORES + ALONE].replace("PKCS12", "JKS").replace(".p12", ".jks")
    return {**files, **alone, "TLS in JKS": jks}


@dataclass(frozen=True)
class VendorLogin:
    """How one logs in to a vendor's clusters: a file of streams, what of it a client takes, and the packages needed."""

    file: str
    address: str
    properties: Mapping[str, str]
    packages: tuple[str, ...]


def vendor_logins() -> dict[str, VendorLogin]:
    """What the page shows of each vendor, by its heading."""
    section = PAGE.read_text().partition(_VENDORS)[2].partition("\n## ")[0]
    found = {}
    for heading, prose, text in _blocks(section):
        cluster = yaml.safe_load(text)
        packages = tuple(re.findall(r"`([\w.-]+:[\w.-]+:[\d.]+)`", prose))
        found[heading] = VendorLogin(_in_file(text), cluster["bootstrapServers"], cluster["properties"], packages)
    return found


def _blocks(text: str) -> list[tuple[str, str, str]]:
    """The headings that have a block of YAML, with what is between the two, and the block."""
    return re.findall(r"^### ([^\n]+)$((?:(?!^#).)*?)^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _in_file(text: str) -> str:
    return _FILE + indent(text, " " * 6)


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
