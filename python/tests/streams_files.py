"""Streams files for tests of commands."""

from __future__ import annotations

import socket
from pathlib import Path

ORDERS = """- streamId: orders
  clusterMetadataList:
    - {clusterId: eu-1, bootstrapServers: "b1:9092", topics: [orders]}
    - {clusterId: us-1, bootstrapServers: "u1:9092", topics: [orders, returns]}
"""


def put(folder: Path, text: str, name: str = "streams.yaml") -> Path:
    """A file with this text."""
    path = folder / name
    path.write_text(text)
    return path


def dead_address() -> str:
    """Where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{taken.getsockname()[1]}"
