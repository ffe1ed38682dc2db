"""How a command asks the jar: with a progress bar, and about files of streams."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from dynamic_kafka import _java
from dynamic_kafka._checkpoint_folder import is_url
from dynamic_kafka._metadata import ClusterMetadata, KafkaStream
from dynamic_kafka.cli._output import words
from dynamic_kafka.errors import InvalidMetadataError


def ask(
    command: str, request: dict[str, Any], *files: str, doing: str = "Asking", whole_spark: bool = False
) -> dict[str, Any]:
    """The result of a command of the jar. Progress shows only on a terminal. `files` name files of streams."""
    console = words()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        tasks: dict[str, Any] = {}

        def show(now: Mapping[str, Any]) -> None:
            if now["what"] not in tasks:
                tasks[now["what"]] = bar.add_task(f"{doing} {now['what']}", total=now["of"])
            bar.update(tasks[now["what"]], total=now["of"], completed=now["done"])

        return _java.ask(command, request, whole_spark=whole_spark or any(map(is_url, files)), progress=show)


def streams_file(name: str) -> dict[str, str]:
    """A file of streams for a request: with its text if it is on this machine, `-` for stdin."""
    if is_url(name):
        return {"name": name}
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return {"name": name, "text": data.decode("utf-8-sig")}
    except OSError as failure:
        raise InvalidMetadataError(f"{name} can't be read: {failure.strerror}.") from failure
    except UnicodeDecodeError as failure:
        raise InvalidMetadataError(f"{name} is not UTF-8.") from failure


def listed_streams(file: Mapping[str, str]) -> list[KafkaStream]:
    """The streams of a file from `streams_file`, only with their clusters and topics."""
    found = ask("streams", {"file": file}, file["name"])
    return [
        KafkaStream(stream, {cluster: ClusterMetadata(topics) for cluster, topics in clusters.items()})
        for stream, clusters in found.items()
    ]
