"""What no file of a checkpoint may hold: how to connect."""

import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path

from tests.cluster.access import PASSWORDS
from tests.scenarios.session import KAFKA_PASSWORD, PLANTED, STORE_PASSWORD

# A name with dots or an address of IPv4, or one of this machine's own names, and a port.
_OWN = "|".join(map(re.escape, ("localhost", "[::1]", socket.gethostname())))
_ADDRESS = rf"(?:[\w-]+(?:\.[\w-]+)+|{_OWN}):\d{{2,5}}\b"
# Names of Kafka's properties, and what stands in their values alone.
_PROPERTY = r"bootstrap\.?servers|security\.protocol|\bsasl\.|\bssl\.|LoginModule|-----BEGIN"
_ALWAYS = re.compile(f"{_ADDRESS}|{_PROPERTY}", re.IGNORECASE)


def connections_in_checkpoints(folder: Path) -> dict[str, str]:
    """By file, the first address, property or password of a connection in the checkpoints anywhere below a folder."""
    found = {}
    for checkpoint in {offsets.parent for offsets in folder.rglob("offsets") if offsets.is_dir()}:
        for path in _files(checkpoint):
            shown = connection_in(path.read_bytes().decode(errors="replace"))
            if shown is not None:
                found[str(path.relative_to(folder))] = shown
    return found


def connection_in(text: str) -> str | None:
    """What of a connection stands in a text; a password that a broker of this run was given counts where it stands
    alone, since topics are called ``first`` as well."""
    known = {KAFKA_PASSWORD, STORE_PASSWORD, os.environ.get(PLANTED, ""), *PASSWORDS} - {""}
    passwords = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, known))})(?![\w.-])")
    match = _ALWAYS.search(text) or passwords.search(text)
    return match and match.group()


def _files(checkpoint: Path) -> Iterator[Path]:
    return (path for path in checkpoint.rglob("*") if path.is_file())
