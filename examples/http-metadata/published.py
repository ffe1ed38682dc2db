"""The streams as they are published: each content of the file is a version of its own."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Published:
    """One version of the streams, as it is sent."""

    version: int
    streams: list[Any]

    @property
    def body(self) -> str:
        return json.dumps({"version": self.version, "streams": self.streams}, ensure_ascii=False, indent=2)

    @property
    def tag(self) -> str:
        """Differs whenever the body does: the version is a part of it."""
        return f'"{self.version}"'


class Publisher:
    """Publishes a file of streams, in YAML or JSON. What is published last is kept in a folder, with its version, which
    goes up with each change, also while the server was down.

    A file that can't be read publishes nothing: the last version stays, and ``problem`` says why. Whether the queries
    can use the streams is for them to say.
    """

    def __init__(self, file: Path, folder: Path) -> None:
        self._file = file
        self._kept = folder / "published.json"
        # The content that was looked at last, and what has been published since.
        self._content: bytes | None = None
        self._published: Published | None = None
        self.problem = ""

    def current(self) -> Published | None:
        """What is published now; none before the first good file. Each request asks, so a file that is as before is not
        parsed again."""
        try:
            content = self._file.read_bytes()
        except OSError as error:
            return self._refused(None, error)
        if content == self._content:
            return self._published
        last = self._last()
        try:
            streams = yaml.safe_load(content.decode("utf-8"))
            if not isinstance(streams, list):
                raise ValueError("it is no list of streams; no streams at all are written as []")
            # As JSON has it, where every key is a text.
            streams = json.loads(json.dumps(streams))
        except (ValueError, TypeError, yaml.YAMLError) as error:
            return self._refused(content, error)
        if last is None or last.streams != streams:
            last = self._keep(Published(1 if last is None else last.version + 1, streams))
        self._content, self._published, self.problem = content, last, ""
        return last

    def _refused(self, content: bytes | None, error: Exception) -> Published | None:
        self._content, self._published = content, self._last()
        self.problem = f"{self._file} is not published: {error}"
        return self._published

    def _last(self) -> Published | None:
        if not self._kept.exists():
            return None
        kept = json.loads(self._kept.read_text(encoding="utf-8"))
        return Published(kept["version"], kept["streams"])

    def _keep(self, published: Published) -> Published:
        self._kept.parent.mkdir(parents=True, exist_ok=True)
        beside = self._kept.with_suffix(".new")
        beside.write_text(published.body, encoding="utf-8")
        os.replace(beside, self._kept)  # noqa: PTH105 - of the two the one that says that it replaces
        return published
