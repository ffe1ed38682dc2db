"""Status files as queries write them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any


def cluster(*needs: str, state: str | None = "reading", **fields: Any) -> dict[str, Any]:
    """A cluster of a status. It is needed because it is listed, if nothing else is said; `""` says that it is not."""
    counts = {"topics": 1, "partitions": 2, "pendingRecords": 0, "deferredRecords": 0, "uncommittedRecords": 0}
    needed = [need for need in needs or ("listed",) if need]
    known = {} if state is None else {"state": state}
    return {**known, **counts, **fields, "drained": not needed, "neededFor": needed}


def put(
    folder: Path,
    name: str,
    clusters: dict[str, Any] | None,
    *,
    state: str = "running",
    ago: timedelta = timedelta(seconds=4),
    **fields: Any,
) -> Path:
    """Writes the status of a query as it was so long ago."""
    folder.mkdir(exist_ok=True)
    known = {} if clusters is None else {"clusters": clusters}
    at = (datetime.now(timezone.utc) - ago).strftime("%Y-%m-%dT%H:%M:%S.%f000Z")
    query = {"id": f"id-of-{name}", "runId": "r", "name": name, "source": "0"}
    file = folder / f"id-of-{name}.json"
    file.write_text(
        json.dumps({"format": 1, "query": query, "state": state, **fields, **known, "versions": {}, "at": at})
    )
    return file
