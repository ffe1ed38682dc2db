"""Names may hold any character: none of them may change what a terminal shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Run
from hostile import ID, SHOWN, forged
from statuses import cluster, put
from streams_files import ORDERS
from streams_files import put as put_streams

UNREACHABLE = "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] it does not answer"
# As YAML writes it. Half of a pair is no YAML.
WRITTEN = '"_eu\\n\\e[31m$\\\\frac{$[bold]|<b>\\u202e\\u2028"'


@pytest.mark.parametrize("command", [["status"], ["can-remove", ID]])
def test_what_a_query_keeps_is_shown_and_not_obeyed(run: Run, tmp_path: Path, command: list[str]) -> None:
    query = {"id": "i", "runId": "r", "name": ID, "source": "0"}
    put(tmp_path, "i", {ID: cluster(state="unavailable", pendingRecords=7, cause=UNREACHABLE)}, query=query)
    code, out, err = run(*command, tmp_path)
    assert code == 1
    assert forged(out + err) == []
    assert SHOWN[:20] in out + err


def test_as_json_each_id_is_exact(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "orders", {ID: cluster(state="unavailable", cause=UNREACHABLE)})
    _code, out, _err = run("status", tmp_path, "--json")
    (query,) = json.loads(out)
    assert list(query["status"]["clusters"]) == [ID]


@pytest.mark.parametrize("form", [[], ["--markdown"]])
def test_a_file_of_streams_is_shown_and_not_obeyed(run: Run, tmp_path: Path, form: list[str]) -> None:
    old = put_streams(tmp_path, ORDERS)
    new = put_streams(tmp_path, ORDERS.replace("eu-1", WRITTEN), "new.yaml")
    code, out, err = run("diff", old, new, *form)
    assert (code, err, forged(out)) == (1, "", [])
    assert r"\u001b[31m" in out.replace("\\\\", "\\").replace("\\[", "[")


def test_problems_of_a_file_are_shown_and_not_obeyed(run: Run, tmp_path: Path) -> None:
    file = put_streams(tmp_path, ORDERS.replace("eu-1", WRITTEN).replace("b1:9092", "b1"))
    code, out, err = run("validate", file)
    assert (code, err, forged(out)) == (1, "", [])
    assert r"cluster _eu\u000a\u001b[31m" in out
