"""Only what the sink has committed is in the table, and once."""

import json
from collections.abc import Sequence
from pathlib import Path

from tests.chaos.table import Table


def commit(folder: Path, entry: str, files: Sequence[str]) -> None:
    """Writes an entry of the sink's log that names these files."""
    log = folder / "_spark_metadata"
    log.mkdir(exist_ok=True)
    named = [json.dumps({"path": (folder / name).as_uri(), "action": "add"}) for name in files]
    (log / entry).write_text("\n".join(["v1", *named]))


def part(folder: Path, name: str, *offsets: int) -> str:
    rows = [{"id": f"id-{n}", "cluster": "a", "topic": "t", "partition": 0, "offset": n} for n in offsets]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return name


def test_a_row_that_two_files_hold_is_there_twice(tmp_path: Path) -> None:
    commit(tmp_path, "0", [part(tmp_path, "one.json", 0)])
    commit(tmp_path, "1", [part(tmp_path, "two.json", 0)])
    assert Table(tmp_path).refresh() == 2
