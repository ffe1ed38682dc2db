"""`dynamic-kafka lag` without a broker; the figures are shown on real ones in tests/scenarios/test_command_line.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkpoints import COMPAT, UNION, kept, written
from conftest import Run
from streams_files import dead_address, put

CHECKPOINT = COMPAT / "0.1.0" / "checkpoint"
SOURCES = [part for name, cluster in UNION.items() for part in ("--source", f"{name}={cluster}")]


def listing(*clusters: str) -> str:
    entries = "".join(
        f"    - {{clusterId: {one}, bootstrapServers: '{dead_address()}', topics: [orders]}}\n" for one in clusters
    )
    return f"- streamId: orders\n  clusterMetadataList:\n{entries}"


@pytest.mark.parametrize(("checkpoint", "said"), [(CHECKPOINT, []), (kept("union")[-1], SOURCES)])
def test_where_no_cluster_answers_it_is_exit_code_2_with_each_cause(
    run: Run, tmp_path: Path, checkpoint: Path, said: list[str]
) -> None:
    streams = put(tmp_path, listing("eu-1", "eu-2", "us-1", "a"))
    code, out, err = run("lag", checkpoint, "--streams", streams, *said, "--timeout", "300ms", "--json")
    rows = json.loads(out)["rows"]
    assert (code, err) == (2, "")
    assert rows
    assert {one["condition"] for row in rows for one in row["problems"]} <= {
        "DYNAMIC_KAFKA_CLUSTER_UNREACHABLE",
        "DYNAMIC_KAFKA_CLUSTER_NOT_LISTED",
    }
    assert all(row["problems"] and "records" not in row for row in rows)
    code, out, err = run("lag", checkpoint, "--streams", streams, *said, "--timeout", "300ms")
    assert code == 2
    assert f"It is not known how much there is to read of {len(rows)} topics." in out
    assert "[DYNAMIC_KAFKA_CLUSTER_" in out


def test_positions_of_sparks_own_source_are_asked_for_as_they_are(run: Run, tmp_path: Path) -> None:
    streams = put(tmp_path, listing("eu-1", "eu-2", "us-1"))
    _code, out, _err = run("lag", kept("union")[-1], "--streams", streams, *SOURCES, "--timeout", "300ms", "--json")
    rows = {row["cluster"]: row for row in json.loads(out)["rows"]}
    assert set(rows) == set(UNION.values())
    assert {number: one["position"] for number, one in rows["us-1"]["partitions"].items()} == {"0": 6, "1": 7}


def test_a_cluster_whose_secret_is_not_here_is_a_row_with_its_cause(run: Run, tmp_path: Path) -> None:
    secret = "properties: {sasl.jaas.config: '${env:NO_SUCH}'}"
    streams = put(tmp_path, listing("a", "b").replace("topics: [orders]", f"topics: [orders], {secret}"))
    code, out, _err = run("lag", CHECKPOINT, "--streams", streams, "--json")
    assert code == 2
    assert {problem["condition"] for row in json.loads(out)["rows"] for problem in row["problems"]} == {
        "DYNAMIC_KAFKA_INVALID_METADATA"
    }


def test_where_no_listed_topic_was_read_it_asks_for_their_names_in_place_of_an_empty_table(
    run: Run, tmp_path: Path
) -> None:
    drained = {"stream": "orders", "removed": 1795398462936, "drain": {"0": 5}, "partitions": {"0": [0, 5, 0]}}
    offset = {"version": 1, "clusters": {"eu-1": {"topics": {"orders": drained}}}}
    checkpoint = written(tmp_path / "checkpoint", {0: json.dumps(offset)}, (0,))
    streams = put(tmp_path, listing("eu-1").replace("[orders]", "[]"))
    code, out, _err = run("lag", checkpoint, "--streams", streams, "--timeout", "300ms")
    assert code == 0
    assert "the query has read no topic that the file lists. Are their names right?" in out
    assert "Partitions" not in out


def test_a_file_that_can_not_be_used_is_exit_code_2_with_its_lines(run: Run, tmp_path: Path) -> None:
    code, _out, err = run("lag", CHECKPOINT, "--streams", put(tmp_path, "- {streamId: orders}"))
    assert code == 2
    assert "can't be used (1 problem): line 1, stream orders, field clusterMetadataList: it is missing" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([CHECKPOINT], "Missing option '--streams'"),
        (["nowhere", "--streams", "streams.yaml"], "no checkpoint"),
        ([kept("union")[-1], "--streams", "streams.yaml"], "streams.yaml can't be read"),
    ],
)
def test_what_can_not_be_looked_at_is_exit_code_2(run: Run, arguments: list[object], message: str) -> None:
    code, out, err = run("lag", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_a_source_of_sparks_that_no_cluster_of_the_file_fits_is_asked_for(run: Run, tmp_path: Path) -> None:
    code, _out, err = run("lag", kept("union")[-1], "--streams", put(tmp_path, listing("eu-1", "eu-2")))
    assert code == 2
    assert "Which cluster is source 0?" in err
    assert "`--source 0=<cluster id>`" in err
