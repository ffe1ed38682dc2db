"""Where a checkpoint lies: on this machine, or behind fsspec. Reads, and changes nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from dynamic_kafka._redaction import shown_address
from dynamic_kafka.errors import CheckpointError

# A scheme of a URL. One letter is a drive.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


class CheckpointFolder(Protocol):
    """The files of one checkpoint. Paths are relative to it, with `/` between their parts."""

    @property
    def shown(self) -> str:
        """Where it is, for people."""

    def names(self, folder: str) -> frozenset[str]:
        """What lies in a folder; nothing where there is no such folder. Hidden files may be left out."""

    def read(self, file: str) -> bytes | None:
        """What a file holds; none if there is no such file."""


def checkpoint_folder(location: str) -> CheckpointFolder:
    """The checkpoint at a path: a local one, or any that fsspec can read."""
    if location.startswith("file:"):
        return LocalFolder(Path(unquote(urlsplit(location).path)))
    if is_url(location):
        return _fsspec_folder(location)
    return LocalFolder(Path(location))


def is_url(location: str) -> bool:
    """Whether a location names a file system, and is no path of this machine."""
    return _SCHEME.match(location) is not None


class LocalFolder:
    """On this machine."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def shown(self) -> str:
        return str(self._path)

    def names(self, folder: str) -> frozenset[str]:
        path = self._path / folder
        return frozenset(found.name for found in path.iterdir()) if path.is_dir() else frozenset()

    def read(self, file: str) -> bytes | None:
        path = self._path / file
        return path.read_bytes() if path.is_file() else None


class FsspecFolder:
    """Wherever a file system of fsspec reads."""

    def __init__(self, files: Any, root: str, location: str) -> None:
        self._files = files
        self._root = root.rstrip("/")
        self._location = location

    @property
    def shown(self) -> str:
        return shown_address(self._location)[1:-1]

    def names(self, folder: str) -> frozenset[str]:
        path = f"{self._root}/{folder}"
        try:
            found = self._files.ls(path, detail=False)
        except FileNotFoundError:
            return frozenset()
        return frozenset(str(name).rstrip("/").rpartition("/")[2] for name in found)

    def read(self, file: str) -> bytes | None:
        try:
            return bytes(self._files.cat_file(f"{self._root}/{file}"))
        except FileNotFoundError:
            return None


def _fsspec_folder(location: str) -> FsspecFolder:
    # Hadoop's names of two stores that fsspec calls otherwise.
    url = re.sub(r"^s3[an]:", "s3:", location)
    scheme = url.partition(":")[0]
    try:
        from fsspec.core import url_to_fs

        files, root = url_to_fs(url)
    except (ImportError, ValueError) as failure:
        raise CheckpointError(
            f"{shown_address(location)} is not on this machine, and nothing here can read `{scheme}:`: {failure}. "
            "Install fsspec with its package for this store (s3fs, gcsfs, adlfs), or copy the folders offsets, "
            "commits and sources here."
        ) from failure
    return FsspecFolder(files, root, location)
