"""Reads a checkpoint of Spark into one value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from dynamic_kafka._checkpoint_folder import CheckpointFolder, checkpoint_folder
from dynamic_kafka._checkpoint_log import (
    LoggedBatch,
    parse_commit,
    parse_initial_offsets,
    parse_logged_batch,
    text_of,
)
from dynamic_kafka._checkpoint_source import Source, SourceTexts, parse_source
from dynamic_kafka.errors import CheckpointError, InvalidOptionError, OffsetVersionError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What the checkpoint of a query says, as of its newest committed batch.

    `committed` is the number of that batch; none before the first. `logged` are the later batches, which are planned
    and not committed. If the log of the newest one can't be read, `damaged` says why. `done` are logged batches that
    count as committed. `operators` are the stateful operators, by the folder `state`; `watermark_ms` is 0 without a
    watermark. `control` is what the newest committed batch did if it was a control batch, such as a rewind. `missing`
    are named sources that had begun and are not in this batch. `gaps` are batches without a log, as with asynchronous
    progress.
    """

    location: str
    committed: int | None
    logged: tuple[int, ...]
    sources: tuple[Source, ...]
    operators: tuple[str, ...] = ()
    watermark_ms: int = 0
    control: str = ""
    damaged: str = ""
    done: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()
    gaps: tuple[int, ...] = ()

    def source(self, name: str) -> Source:
        """The source of this name or number. Raises `InvalidOptionError` if there is none."""
        for source in self.sources:
            if source.name == name:
                return source
        known = ", ".join(repr(source.name) for source in self.sources)
        raise InvalidOptionError(f"The checkpoint has no source {name!r}. It has: {known}.")

    def without(self, *names: str) -> Checkpoint:
        """The same without these sources, which are not migrated."""
        left_out = [self.source(name) for name in names]
        return replace(self, sources=tuple(source for source in self.sources if source not in left_out))

    def with_logged_done(self) -> Checkpoint:
        """The same, but logged batches count as committed: for a sink that has all their rows."""
        if self.damaged:
            raise CheckpointError(
                f"Batch {self.logged[-1]} can't count as done, because its log can't be read: {self.damaged}"
            )
        return replace(self, sources=tuple(source.done() for source in self.sources), logged=(), done=self.logged)


def read_checkpoint(location: str) -> Checkpoint:
    """Reads the checkpoint at a local path, or at a URL that fsspec can read.

    Stop its query first: records that it reads later would come twice. Raises `CheckpointError` if the folder is no
    checkpoint, is empty or damaged, and `OffsetVersionError` if a newer Spark wrote it.

        checkpoint = read_checkpoint("checkpoints/orders")
        checkpoint = read_checkpoint("s3a://bucket/checkpoints/orders")
    """
    return _Reading(checkpoint_folder(location)).checkpoint()


class _Reading:
    """Reads one folder once."""

    def __init__(self, folder: CheckpointFolder) -> None:
        self._folder = folder
        self._offsets = _numbers(folder.names("offsets"))
        self._commits = _numbers(folder.names("commits"))
        self._sources = folder.names("sources")

    def checkpoint(self) -> Checkpoint:
        self._refuse_no_checkpoint()
        committed = max(self._commits, default=None)
        watermark = 0
        entry = None
        if committed is not None:
            watermark = self._parsed(f"commits/{committed}", parse_commit)
            entry = self._entry(committed)
        logged = tuple(number for number in self._offsets if committed is None or number > committed)
        later, damaged = self._newest(logged)
        sources = tuple(self._source(name, entry, later) for name in self._names(entry, later))
        if not sources:
            raise self._error("It holds no batch, and no source has begun: the new query needs no offsets of it.")
        return Checkpoint(
            self._folder.shown,
            committed,
            logged,
            sources,
            self._operators(),
            max(watermark, entry.watermark_ms if entry else 0),
            entry.control if entry else "",
            damaged,
            missing=self._missing(entry),
            gaps=self._gaps(),
        )

    def _refuse_no_checkpoint(self) -> None:
        if not (self._offsets or self._commits or self._sources) and self._folder.read("metadata") is None:
            raise self._error(
                "It is no checkpoint of a streaming query: there is no such folder, or it has nothing in offsets, "
                "commits and sources, and no file metadata. Name the folder that the query has as its "
                "checkpointLocation."
            )
        missing = max(self._commits, default=None)
        if missing is not None and missing not in self._offsets:
            raise self._error(
                f"Batch {missing} is committed, and the offset log does not have it, so its positions are not known. "
                "Was the folder copied while the query ran, or in part? Copy it again."
            )

    def _entry(self, number: int) -> LoggedBatch:
        return self._parsed(f"offsets/{number}", lambda data: self._complete(parse_logged_batch(number, data)))

    def _complete(self, entry: LoggedBatch) -> LoggedBatch:
        """The entry. Raises `CheckpointError` if it was cut off between two lines: in version 1, each source that has
        begun has a line in it.
        """
        begun = max((int(name) for name in self._sources if name.isdecimal()), default=-1)
        if entry.version == 1 and begun >= len(entry.offsets):
            raise CheckpointError(
                f"It has {len(entry.offsets)} sources, and source {begun} has begun: the file is cut off."
            )
        return entry

    def _missing(self, entry: LoggedBatch | None) -> tuple[str, ...]:
        """Sources that had begun and were removed from the query since. Only named sources can be."""
        named = entry is not None and entry.version > 1
        return tuple(sorted(self._sources - set(entry.offsets))) if entry and named else ()

    def _gaps(self) -> tuple[int, ...]:
        """Batches between the oldest and the newest logged one that have no entry. Spark deletes only the oldest."""
        logged = range(self._offsets[0], self._offsets[-1]) if self._offsets else ()
        return tuple(number for number in logged if number not in self._offsets)

    def _newest(self, logged: tuple[int, ...]) -> tuple[LoggedBatch | None, str]:
        """The newest entry that is not committed, and an empty text. If it can't be read: none, and why. No position
        depends on it.
        """
        if not logged:
            return None, ""
        try:
            return self._entry(logged[-1]), ""
        except CheckpointError as failure:
            return None, failure.detail

    def _names(self, entry: LoggedBatch | None, later: LoggedBatch | None) -> list[str]:
        names = [*(entry.offsets if entry else ()), *(later.offsets if later else ())]
        # Before the first batch only the folders show how many sources there are.
        names += [] if names else [name for name in self._sources if not name.startswith(".")]
        return sorted(set(names), key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0, name))

    def _source(self, name: str, entry: LoggedBatch | None, later: LoggedBatch | None) -> Source:
        committed = entry.offsets.get(name) if entry else None
        texts = SourceTexts(
            name,
            next((one.providers[name] for one in (entry, later) if one and name in one.providers), ""),
            committed,
            later.offsets.get(name) if later else None,
            None if committed else self._initial(name),
            self._beside(name, "deferred"),
            self._beside(name, "realtime"),
        )
        try:
            return parse_source(texts)
        except CheckpointError as failure:
            raise CheckpointError(f"{self._folder.shown}, source {name}: {failure.detail}") from None

    def _initial(self, name: str) -> str | None:
        """Where one of Spark's Kafka sources began; none for other sources, or if there is no such file."""
        data = self._folder.read(f"sources/{name}/0")
        # Only Spark's Kafka source begins its file with a zero byte.
        if data is None or (data and not data.startswith(b"\0")):
            return None
        return self._parsed(f"sources/{name}/0", parse_initial_offsets)

    def _beside(self, name: str, below: str) -> str | None:
        """The file of ours with the highest number in a folder of a source."""
        files = _numbers(self._folder.names(f"sources/{name}/{below}"))
        return self._parsed(f"sources/{name}/{below}/{files[-1]}", text_of) if files else None

    def _operators(self) -> tuple[str, ...]:
        return tuple(self._operator(number) for number in _numbers(self._folder.names("state")))

    def _operator(self, number: int) -> str:
        """The operator's name, which Spark writes since 3.5."""
        try:
            lines = (self._folder.read(f"state/{number}/_metadata/metadata") or b"").decode().splitlines()
            return str(json.loads(lines[1])["operatorInfo"]["operatorName"])
        except (ValueError, KeyError, TypeError, IndexError):
            return f"operator {number}"

    def _parsed(self, file: str, parse: Callable[[bytes], T]) -> T:
        data = self._folder.read(file)
        if data is None:
            raise self._error(f"{file} was deleted after the folder was listed. Is the query running? Stop it first.")
        try:
            return parse(data)
        except (CheckpointError, OffsetVersionError) as failure:
            raise type(failure)(f"{self._folder.shown}, file {file}: {failure.detail}") from None

    def _error(self, text: str) -> CheckpointError:
        return CheckpointError(f"{self._folder.shown}: {text}")


def _numbers(names: Iterable[str]) -> list[int]:
    """The names that are numbers, in order. Names of temporary files and checksums begin with a dot."""
    return sorted(int(name) for name in names if name.isascii() and name.isdecimal())
