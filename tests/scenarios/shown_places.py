"""All that Spark, the JVM and Python show of a running query, as texts."""

import json
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

from tests.scenarios.queries import Running


class Events(StreamingQueryListener):
    """What listeners in Python receive."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.ended = False

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802 - Spark's name
        self._keep(event)

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802 - Spark's name
        self.texts.append(event.progress.json)

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802 - Spark's name
        self._keep(event)

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802 - Spark's name
        self._keep(event)
        self.ended = True

    def _keep(self, event: Any) -> None:
        self.texts.append(repr(vars(event)))


def ui(spark: SparkSession, running: Running) -> str:
    """The pages of Spark's UI that show a query, and what its REST interface says of all."""
    web, application = spark.sparkContext.uiWebUrl, spark.sparkContext.applicationId
    rest = f"{web}/api/v1/applications/{application}"
    executions = _fetched(f"{rest}/sql?details=true&planDescription=true&length=10000")
    last = max(one["id"] for one in json.loads(executions))
    pages = [f"{web}/{page}/" for page in ("jobs", "stages", "environment", "executors", "SQL", "StreamingQuery")]
    pages += [f"{web}/SQL/execution/?id={last}", f"{web}/StreamingQuery/statistics/?id={running.query.runId}"]
    # Stages show the accumulators of their tasks.
    pages += [f"{rest}/environment", f"{rest}/jobs", f"{rest}/stages?details=true", f"{rest}/allexecutors"]
    return "\n".join([executions, *map(_fetched, pages)])


def files(folder: Path, before: Mapping[Path, int] | None = None) -> str:
    """All files below a folder but jars, with their names; of each what came after its size ``before``."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".jar"]
    read = {path: path.read_bytes()[(before or {}).get(path, 0) :] for path in found}
    return "\n".join(f"{path}\n{content.decode(errors='replace')}" for path, content in read.items())


def sizes(folder: Path) -> dict[Path, int]:
    """Bytes of each file below a folder."""
    return {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}


def _fetched(address: str) -> str:
    with urllib.request.urlopen(address) as answer:  # noqa: S310 - the session's own
        return bytes(answer.read()).decode()
