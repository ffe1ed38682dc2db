"""The status files that queries keep under `statusPath`: how they are read, and what they mean. Needs no Java."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from dynamic_kafka._checkpoint_folder import CheckpointFolder, checkpoint_folder
from dynamic_kafka._redaction import shown_address
from dynamic_kafka.errors import CheckpointError, InvalidOptionError

# The newest form of a file that is known here.
FORMAT = 1
# A running query writes every 30 s. If it is silent for longer than this, it is dead, or its driver hangs.
SILENT = timedelta(minutes=3)
# A query that writes, but has prepared no batch for so long, is reported.
LONG_AGO = timedelta(minutes=15)
# How many files are read at once: over a network each read is slow.
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Deferral:
    """The last deferral of a cluster. `batch` is none where Spark's number of it is not known."""

    batch: int | None
    partitions: int
    records: int
    condition: str
    at: datetime
    made_good: datetime | None


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """One cluster of a query. `needs` are the reasons why the query still needs it; none: it may be switched off."""

    state: str | None
    cause: str | None
    kafka_id: str | None
    pending: int
    deferred: int
    last_deferral: Deferral | None
    uncommitted: int
    needs: tuple[str, ...]

    @property
    def sick(self) -> bool:
        """Whether somebody should look. A cluster that was announced as inactive is meant to be silent."""
        said = self.cause is not None or self.state in ("unavailable", "duplicate")
        return (said and self.state != "inactive") or self.deferred > 0 or self.uncommitted > 0


@dataclass(frozen=True, slots=True)
class QueryStatus:
    """What one query has written last. `clusters` is none before the query has looked at them. `concerns` are the
    clusters and topics that the failure of a failed query names."""

    file: str
    query_id: str
    name: str | None
    state: str
    condition: str | None
    concerns: tuple[str, ...]
    ended_by_process: bool
    refused: Mapping[str, Any] | None
    clusters: Mapping[str, ClusterStatus] | None
    written: datetime
    looked: datetime | None
    content: Mapping[str, Any]

    @property
    def shown(self) -> str:
        return self.name or self.query_id

    @property
    def pending(self) -> int:
        return sum(cluster.pending for cluster in (self.clusters or {}).values())

    def silent(self, now: datetime) -> bool:
        """Whether a write is overdue. A query whose process was asked to end should have restarted by now."""
        return (self.state == "running" or self.ended_by_process) and now - self.written > SILENT

    def busy(self) -> bool:
        """Whether it has prepared no batch for long: a long one runs, the trigger is rare, or its sink hangs."""
        return self.state == "running" and self.looked is not None and self.written - self.looked > LONG_AGO

    def lives(self, now: datetime) -> bool:
        """Whether it keeps writing its status."""
        return self.state == "running" and not self.silent(now)


@dataclass(frozen=True, slots=True)
class UnreadableStatus:
    """A file that can't be read, and why."""

    file: str
    why: str


AnyStatus = QueryStatus | UnreadableStatus


class Verdict(Enum):
    """Whether a query still needs a cluster."""

    REMOVABLE = "can be removed"
    NEEDED = "needed"
    UNKNOWN = "not known"


def read_statuses(location: str) -> list[AnyStatus]:
    """All status files of a folder, local or for fsspec. Raises `InvalidOptionError` if there are none."""
    try:
        folder = checkpoint_folder(location)
    except CheckpointError as failure:
        raise InvalidOptionError(
            f"{shown_address(location)} is not on this machine, and nothing here can read it. Install fsspec with its "
            f"package for this store (s3fs, gcsfs, adlfs), or copy the folder here. {failure.__cause__}"
        ) from failure
    files = sorted(name for name in folder.names("") if name.endswith(".json") and not name.startswith("."))
    if not files:
        raise InvalidOptionError(
            f"{folder.shown} has no status files. Name the folder that the queries' option statusPath names."
        )
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return list(threads.map(lambda file: _read(folder, file), files))


def _read(folder: CheckpointFolder, file: str) -> AnyStatus:
    first = _read_once(folder, file)
    # On some file systems a file is replaced in two steps: a second look finds it whole.
    return first if isinstance(first, QueryStatus) else _read_once(folder, file)


def _read_once(folder: CheckpointFolder, file: str) -> AnyStatus:
    try:
        content = folder.read(file)
        return UnreadableStatus(file, "it is not there any more") if content is None else parse_status(file, content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as failure:
        return UnreadableStatus(file, f"{type(failure).__name__}: {failure}")


def parse_status(file: str, content: bytes) -> AnyStatus:
    """One file. Raises `ValueError`, `KeyError`, `TypeError` or `AttributeError` for what no query has written."""
    status = json.loads(content)
    if status["format"] > FORMAT:
        return UnreadableStatus(file, f"it has format {status['format']}: this dynamic-kafka is too old for it")
    clusters = status.get("clusters")
    return QueryStatus(
        file=file,
        query_id=status["query"]["id"],
        name=status["query"].get("name"),
        state=status["state"],
        condition=status.get("condition"),
        concerns=tuple(status.get("concerns", ())),
        ended_by_process=status.get("endedBy") == "process",
        refused=status.get("refused"),
        clusters=None if clusters is None else {name: _cluster(one) for name, one in clusters.items()},
        written=_time(status["at"]),
        looked=_time(status["looked"]) if "looked" in status else None,
        content=status,
    )


def _cluster(content: Mapping[str, Any]) -> ClusterStatus:
    return ClusterStatus(
        state=content.get("state"),
        cause=content.get("cause"),
        kafka_id=content.get("kafkaId"),
        pending=content["pendingRecords"],
        deferred=content["deferredRecords"],
        last_deferral=_deferral(content["lastDeferral"]) if "lastDeferral" in content else None,
        uncommitted=content["uncommittedRecords"],
        needs=tuple(content["neededFor"]),
    )


def _deferral(content: Mapping[str, Any]) -> Deferral:
    return Deferral(
        batch=content.get("batch"),
        partitions=content["partitions"],
        records=content["records"],
        condition=content["condition"],
        at=_time(content["at"]),
        made_good=_time(content["madeGood"]) if "madeGood" in content else None,
    )


def _time(text: str) -> datetime:
    # Python 3.10 reads neither a Z nor nine digits of a second.
    whole, _, rest = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(f"{whole}.{rest[:6]:0<6}+00:00")


def same_kafka(cluster: str, statuses: Iterable[AnyStatus]) -> frozenset[str]:
    """The ids under which the queries know this Kafka cluster; none if no status names it."""
    known = [status.clusters for status in statuses if isinstance(status, QueryStatus) and status.clusters]
    kafka = {clusters[cluster].kafka_id for clusters in known if cluster in clusters} - {None}
    return frozenset(
        name for clusters in known for name, one in clusters.items() if name == cluster or one.kafka_id in kafka
    )


def verdict(status: AnyStatus, clusters: Collection[str], now: datetime) -> tuple[Verdict, dict[str, tuple[str, ...]]]:
    """Whether a query needs one of these clusters, with its needs of each.

    An old status with needs of a cluster proves nothing: the query may have gone on, or may be started again.
    """
    if isinstance(status, UnreadableStatus) or status.clusters is None:
        return Verdict.UNKNOWN, {}
    needs = {name: one.needs for name, one in status.clusters.items() if name in clusters and one.needs}
    if not needs:
        return Verdict.REMOVABLE, {}
    return (Verdict.NEEDED if status.lives(now) else Verdict.UNKNOWN), needs
