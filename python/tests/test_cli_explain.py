"""`dynamic-kafka explain`: each condition of the page, without a network and without Java."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Run

from dynamic_kafka import errors

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "errors.md"


def on_page() -> list[str]:
    return re.findall(r"^### (\w+)$", PAGE.read_text(), re.MULTILINE)


def test_it_lists_each_condition_of_the_page(run: Run) -> None:
    code, out, err = run("explain")
    assert (code, err) == (0, "")
    short = [name.removeprefix("DYNAMIC_KAFKA_") for name in on_page()]
    assert re.findall(r"^ ([A-Z_]+) ", out, re.MULTILINE) == short
    code, out, _err = run("explain", "--json")
    assert code == 0
    assert [one["condition"] for one in json.loads(out)] == on_page()


def test_each_error_of_the_package_is_explained_with_its_class(run: Run) -> None:
    listed = {one["condition"]: one for one in json.loads(run("explain", "--json")[1])}
    classes = [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]
    found = {kind.condition: kind.__name__ for kind in classes if "condition" in vars(kind)}
    assert found == {name: one["python"] for name, one in listed.items()}


@pytest.mark.parametrize("given", ["DYNAMIC_KAFKA_DATA_LOSS", "DATA_LOSS", "data-loss", "[DYNAMIC_KAFKA_DATA_LOSS]"])
def test_a_name_may_be_short_or_as_a_message_shows_it(run: Run, given: str) -> None:
    code, out, err = run("explain", given)
    assert (code, err) == (0, "")
    name, when, todo, python = out.strip().split("\n\n")
    assert (name, python) == ("DYNAMIC_KAFKA_DATA_LOSS", "Python: DataLossError")
    assert when.startswith("Records aged out before they were read.")
    assert todo.startswith("Do: After the warning: `DynamicKafkaRecordsAgeOut` (docs/runbook.md#")


def test_an_unknown_name_is_exit_code_2_with_the_nearest(run: Run) -> None:
    code, out, err = run("explain", "CLUSTER_UNREACHABL")
    assert (code, out) == (2, "")
    assert "There is no condition CLUSTER_UNREACHABL. The nearest: CLUSTER_UNREACHABLE" in err
    code, out, _err = run("explain", "xyz", "--json")
    assert code == 2
    assert "`dynamic-kafka explain` lists all" in json.loads(out)["error"]["message"]


def test_a_command_that_fails_says_how_its_condition_is_explained(run: Run, tmp_path: Path) -> None:
    code, _out, err = run("offsets", tmp_path / "gone")
    assert code == 2
    assert err.endswith("More: dynamic-kafka explain CHECKPOINT.\n")
