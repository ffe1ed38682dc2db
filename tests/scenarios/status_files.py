"""The status files of a test's queries, and what the command line says of them."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cluster import NotYet, eventually
from tests.scenarios.queries import SOON


class StatusFiles:
    """A folder for the option `statusPath`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def of(self, query_id: str) -> dict[str, Any]:
        """What a query has written last."""
        file = self.path / f"{query_id}.json"
        if not file.exists():
            raise NotYet(f"there is no {file.name}")
        return dict(json.loads(file.read_text()))

    def await_status(
        self, query_id: str, claim: str, until: Callable[[dict[str, Any]], object], within: float = SOON
    ) -> dict[str, Any]:
        """The status of a query, once ``until`` accepts it."""
        return eventually(claim, lambda: self.of(query_id), until=until, within=within)

    def await_cluster(self, query_id: str, cluster: str, **fields: Any) -> dict[str, Any]:
        """A cluster in the status of a query, once it has these fields."""

        def has(status: dict[str, Any]) -> bool:
            here = status.get("clusters", {}).get(cluster, {})
            return all(here.get(name) == value for name, value in fields.items())

        status = self.await_status(query_id, f"the status says of {cluster}: {fields}", has)
        return dict(status["clusters"][cluster])

    def command(self, *arguments: str) -> tuple[int, Any]:
        """The exit code of a command, and its JSON. The folder is its last argument."""
        command = [sys.executable, "-m", "dynamic_kafka.cli", *arguments, str(self.path), "--json"]
        ended = subprocess.run(command, check=False, capture_output=True, text=True)
        return ended.returncode, json.loads(ended.stdout)
