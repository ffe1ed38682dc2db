"""The jars of a broker: fetched once, from a Maven repository into the user's cache, each by its checksum."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from importlib import resources, util
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen
from zipfile import ZipFile

from dynamic_kafka._brokers import KAFKA_VERSION, SetupError

# Spark's packages come from here by default. The variable is Spark's own, and names a mirror.
_MIRROR = "DEFAULT_ARTIFACT_REPOSITORY"
_IVY = "org/apache/ivy/plugins/resolver/IBiblioResolver.class"
_BLOCK = 1 << 16
_PATIENCE = 30.0
_ELSEWHERE = f"Set HTTPS_PROXY if there is a proxy, or name a mirror by {_MIRROR}, or in the demo by --repository."


@dataclass(frozen=True)
class Jar:
    """A line of the list. ``path`` is where it lies in a Maven repository."""

    sha256: str
    size: int
    path: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def pinned() -> list[Jar]:
    """The whole list."""
    text = resources.files(__package__).joinpath("jars.txt").read_text("utf-8")
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return [Jar(sha256, int(size), path) for sha256, size, path in lines]


def cache_folder() -> Path:
    """Where jars are kept for this user."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "dynamic-kafka-spark", f"kafka-{KAFKA_VERSION}")


def default_repository() -> str:
    """The Maven repository that Spark takes packages from: what its variable names, else the default in its Ivy.

    Raises `SetupError` if there is no PySpark.
    """
    if mirror := os.environ.get(_MIRROR):
        return mirror
    spark = util.find_spec("pyspark")
    folders = (spark and spark.submodule_search_locations) or ()
    for ivy in (jar for folder in folders for jar in Path(folder, "jars").glob("ivy-*.jar")):
        with ZipFile(ivy) as classes:
            if found := re.search(rb"https://[\w./-]+/maven2/", classes.read(_IVY)):
                return found[0].decode()
    raise SetupError(f"Spark's libraries name no Maven repository. Name one by --repository, or set {_MIRROR}.")


def missing(jars: Sequence[Jar], folder: Path) -> list[Jar]:
    """Those that are not in the folder, or are not what the list says."""
    return [jar for jar in jars if not _is_whole(jar, folder / jar.name)]


def fetch(
    jars: Sequence[Jar], folder: Path, report: Callable[[int], None] = lambda _: None, repository: str | None = None
) -> None:
    """Fetches jars into the folder; ``report`` gets the size of each part. Several processes may do it at once.

    Raises `SetupError` if one can't be fetched or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        require_space(folder, sum(jar.size for jar in jars))
        for jar in jars:
            _fetch(jar, folder, report, (repository or default_repository()).rstrip("/"))
    except OSError as failure:
        raise SetupError(f"Can't write to {folder}: {failure.strerror}. XDG_CACHE_HOME names another place.") from None


def require_space(folder: Path, size: int) -> None:
    """Raises `SetupError` if so many bytes do not fit."""
    free = shutil.disk_usage(folder).free
    if free < size:
        raise SetupError(f"The disk of {folder} is full: {megabytes(size)} are needed, {megabytes(free)} are free.")


def megabytes(size: int) -> str:
    """Such as ``41 MB``."""
    return f"{size / 1e6:.0f} MB"


@functools.cache
def class_path() -> str:
    """All jars, as Java's ``-cp``. Fetches what is missing, without output."""
    jars, folder = pinned(), cache_folder()
    fetch(missing(jars, folder), folder)
    return os.pathsep.join(str(folder / jar.name) for jar in jars)


def _is_whole(jar: Jar, file: Path) -> bool:
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == jar.sha256


def _fetch(jar: Jar, folder: Path, report: Callable[[int], None], repository: str) -> None:
    url = f"{repository}/{jar.path}"
    # A name of its own, so that nobody takes half of it for the jar.
    number, name = tempfile.mkstemp(prefix=f"{jar.name}.", dir=folder)
    draft = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            for block in _blocks(url):
                file.write(block)
                report(len(block))
        if not _is_whole(jar, draft):
            raise SetupError(f"{url} is not the jar that the list names: its SHA-256 differs. Does a proxy change it?")
        draft.replace(folder / jar.name)
    finally:
        draft.unlink(missing_ok=True)


def _blocks(url: str) -> Iterator[bytes]:
    try:
        with urlopen(url, timeout=_PATIENCE) as answer:  # noqa: S310 - the repository is the user's choice
            while block := answer.read(_BLOCK):
                yield block
    except HTTPError as refused:
        raise SetupError(f"{url}: the answer is {refused.code} {refused.reason}. {_ELSEWHERE}") from None
    except (URLError, TimeoutError, ConnectionError, HTTPException) as failure:
        reason = getattr(failure, "reason", None) or failure
        raise SetupError(f"Can't fetch {url}: {reason}. {_ELSEWHERE}") from None
