"""Only what the sink has committed is in the table, and once."""

import json
from collections.abc import Sequence
from pathlib import Path

from tests.chaos.places import Row
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


def test_rows_come_with_their_batch_and_files_that_were_not_committed_are_no_part_of_it(tmp_path: Path) -> None:
    commit(tmp_path, "0", [part(tmp_path, "one %.json", 0, 1)])
    commit(tmp_path, "1", [])
    commit(tmp_path, "2", [part(tmp_path, "two.json", 2)])
    part(tmp_path, "left over.json", 3)
    table = Table(tmp_path)
    assert table.refresh() == 3
    assert table.rows[2] == Row("id-2", "a", "t", 0, 2, batch=2, place=("two.json", 0))
    assert table.ids == {"id-0", "id-1", "id-2"}
    assert table.last_batch == 2


def test_a_compacted_entry_names_again_what_is_there_and_adds_what_is_new(tmp_path: Path) -> None:
    table = Table(tmp_path)
    assert table.refresh() == 0
    names = [part(tmp_path, f"{batch}.json", batch) for batch in range(10)]
    for batch in range(9):
        commit(tmp_path, str(batch), names[batch : batch + 1])
    assert table.refresh() == 9
    commit(tmp_path, "9.compact", names)
    assert table.refresh() == 10
    assert [row.batch for row in table.rows] == list(range(10))


def test_a_row_that_two_files_hold_is_there_twice(tmp_path: Path) -> None:
    commit(tmp_path, "0", [part(tmp_path, "one.json", 0)])
    commit(tmp_path, "1", [part(tmp_path, "two.json", 0)])
    assert Table(tmp_path).refresh() == 2
