"""What the queries said of themselves last."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

# In a word, how a query fares; what needs a look comes first.
VERDICTS = ("refused", "behind", "silent", "current", "stopped")

# Queries that run send their status at least once a minute.
SILENT_SECONDS = 150.0
# A query that is gone for so long is forgotten.
FORGOTTEN_SECONDS = 7 * 24 * 3600.0
# So many sources are remembered, whoever sends what.
MOST = 10_000


@dataclass(frozen=True)
class Status:
    """The last status of one source of a query."""

    said: dict[str, Any]
    heard: float

    @property
    def key(self) -> tuple[str, str]:
        return self.said["query"]["id"], self.said["query"]["source"]

    @property
    def name(self) -> str:
        return str(self.said["query"].get("name") or self.said["query"]["id"])

    @property
    def applied(self) -> int | None:
        version = self.said.get("applied", {}).get("version")
        return version if isinstance(version, int) else None

    @property
    def refused(self) -> dict[str, Any]:
        """Why the query can't use what it was sent last; empty if it can."""
        return dict(self.said.get("refused") or {})

    def age(self, now: float) -> float:
        return now - self.heard

    def verdict(self, version: int | None, now: float) -> str:
        """One of ``VERDICTS``, where the streams have this version."""
        if self.said["state"] == "stopped":
            return "stopped"
        if self.age(now) > SILENT_SECONDS:
            return "silent"
        if self.refused:
            return "refused"
        return "current" if self.applied == version else "behind"


class Statuses:
    """The last status of each source of each query. They are sent again by themselves, so memory is enough."""

    def __init__(self) -> None:
        self._by_key: dict[tuple[str, str], Status] = {}

    def put(self, said: object) -> None:
        """Raises ``ValueError`` for what is no status."""
        status = Status(_checked(said), time.time())
        self._by_key[status.key] = status
        for key, known in list(self._by_key.items()):
            if known.age(status.heard) > FORGOTTEN_SECONDS or len(self._by_key) > MOST:
                del self._by_key[key]

    def all(self) -> list[Status]:
        return sorted(self._by_key.values(), key=lambda status: (status.name, status.key))


def _checked(said: object) -> dict[str, Any]:
    match said:
        case {
            "query": {"id": str(), "runId": str(), "source": str()},
            "state": "running" | "stopped",
            "at": str(),
        } if isinstance(said, dict) and all(isinstance(said.get(part, {}), dict) for part in ("applied", "refused")):
            return said
    raise ValueError("no status of the protocol: query.id, query.runId, query.source, state and at are needed")
