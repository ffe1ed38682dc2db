"""The table that drivers write, start after start: what Spark's file sink has committed, and nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

from tests.chaos.places import Row


class Table:
    """Grows with each ``refresh``. Files that a killed driver left and never committed are no part of it."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "_spark_metadata"
        self._read = -1
        self._files: set[str] = set()
        self.rows: list[Row] = []
        self.ids: set[str] = set()
        # When each batch was in the table, by the wall clock, in seconds.
        self.times: dict[int, float] = {}

    def refresh(self) -> int:
        """Reads what was committed since; returns how many rows there are."""
        for batch, entry in self._new_entries():
            self.times[batch] = entry.stat().st_mtime
            for line in entry.read_text().splitlines()[1:]:  # after the version
                path = str(json.loads(line)["path"])
                if path not in self._files:
                    self._files.add(path)
                    self._take(batch, Path(unquote(urlparse(path).path)))
            self._read = batch
        return len(self.rows)

    @property
    def last_batch(self) -> int:
        """The newest batch that is in the table; -1 for none."""
        return self._read

    def _new_entries(self) -> Iterator[tuple[int, Path]]:
        found = {int(path.name.split(".")[0]): path for path in self._log.glob("[0-9]*")}
        return ((batch, path) for batch, path in sorted(found.items()) if batch > self._read)

    def _take(self, batch: int, file: Path) -> None:
        with file.open() as lines:
            for number, line in enumerate(lines):
                row = json.loads(line)
                place = row["cluster"], row["topic"], row["partition"], row["offset"]
                self.rows.append(Row(row["id"], *place, batch, (file.name, number)))
                self.ids.add(row["id"])
