"""`dynamic-kafka offsets`: what it prints where, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from checkpoints import UNION, kafka, kept, written
from conftest import Run

import dynamic_kafka

SOURCES = [part for name, cluster in UNION.items() for part in ("--source", f"{name}={cluster}")]
STREAMS = """
- streamId: orders
  clusterMetadataList:
    - {clusterId: eu-1, bootstrapServers: "b1:9092", topics: [orders], active: true}
    - {clusterId: eu-9, bootstrapServers: "b9:9092", topics: [others]}
"""


def test_stdout_holds_the_offsets_alone_and_a_table_stands_before_them_on_stderr(run: Run) -> None:
    code, out, err = run("offsets", kept("union")[-1], *SOURCES)
    assert code == 0
    assert set(json.loads(out)) == {"", "eu-1", "eu-2", "us-1"}
    assert len(out.splitlines()) == 1
    assert "2       us-1     as named  orders  0: 6, 1: 7" in err
    assert "txnVersion" in err


def test_a_logged_batch_is_exit_code_1_with_both_choices(run: Run) -> None:
    code, out, err = run("offsets", kept("logged")[-1], *SOURCES)
    assert (code, json.loads(out)["eu-1"]["orders"]["0"]) == (1, 2)
    assert "To decide (logged-batch)" in err
    assert "start the old query once more with trigger(availableNow=True)" in err
    assert "rows that are already in the sink come twice" in err
    assert "rows that the sink does not have are never read" in err
    code, out, err = run("offsets", kept("logged")[-1], *SOURCES, "--logged-batch", "done")
    assert (code, json.loads(out)["eu-1"]["orders"]["0"]) == (0, 4)


def test_json_is_all_that_stdout_holds_and_stderr_is_silent(run: Run) -> None:
    code, out, err = run("offsets", kept("logged")[-1], *SOURCES, "--json", "--for-spark", "us-1")
    report = json.loads(out)
    assert (code, err) == (1, "")
    assert report["committedBatch"] == 0
    assert report["loggedBatches"] == [1]
    assert report["clusters"] == UNION
    assert [finding["kind"] for finding in report["findings"]] == ["logged-batch"]
    assert report["startingOffsets"]["us-1"]["orders"]["0"] == 2
    assert report["forSpark"] == {"orders": {"0": 2, "1": 3}}


def test_a_file_of_streams_finds_clusters_by_their_topics_and_names_the_others(run: Run, tmp_path: Path) -> None:
    (tmp_path / "streams.yaml").write_text(STREAMS)
    checkpoint = written(tmp_path / "one", {0: kafka(orders=[3])}, (0,))
    code, out, err = run("offsets", checkpoint, "--streams", tmp_path / "streams.yaml")
    assert (code, json.loads(out)["eu-9"]) == (0, "earliest")
    assert "by its topics" in err


def test_a_file_of_streams_is_read_as_a_query_reads_it(run: Run, tmp_path: Path) -> None:
    entry = "{clusterId: '007', bootstrapServers: b1:9092, topics: [no], startingOffsets: earliest}"
    listed = f"- {{streamId: on, clusterMetadataList: [{entry}]}}"
    (tmp_path / "streams.yaml").write_text(listed)
    checkpoint = written(tmp_path / "one", {0: kafka(no=[3])}, (0,))
    code, out, _err = run("offsets", checkpoint, "--streams", tmp_path / "streams.yaml")
    assert (code, list(json.loads(out))) == (0, ["", "007"])
    (tmp_path / "streams.yaml").write_text(listed.replace("'", ""))
    code, out, err = run("offsets", checkpoint, "--streams", tmp_path / "streams.yaml")
    assert (code, out) == (2, "")
    assert "line 1, stream on, field clusterMetadataList[0].clusterId: expected text, found a number" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Which cluster is source 0? A checkpoint holds no addresses"),
        (["--source", "0"], "--source 0 is not NUMBER=CLUSTER"),
        (["--source", "0=a", "--source", "0=b"], "Source 0 is said to be 'a' and 'b'"),
        (["--leave-out", "7"], "The checkpoint has no source '7'"),
        (["--logged-batch", "later"], "--logged-batch"),
        (["--streams", "nowhere.yaml"], "nowhere.yaml can't be read"),
        ([*SOURCES, "--for-spark", "x"], "holds no position of cluster 'x'"),
    ],
)
def test_what_can_not_be_looked_at_is_exit_code_2(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run("offsets", kept("union")[-1], *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_a_failure_is_json_too(run: Run, tmp_path: Path) -> None:
    code, out, _err = run("offsets", tmp_path, "--json")
    assert (code, json.loads(out)["error"]["condition"]) == (2, "DYNAMIC_KAFKA_CHECKPOINT")


@pytest.mark.parametrize(
    "text", ["- [", "{}", "- {streamId: [1]}", "- {streamId: a, clusterMetadataList: [{topics: [x]}]}"]
)
def test_a_file_of_streams_that_is_none_is_exit_code_2(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "streams.yaml").write_text(text)
    code, _out, err = run("offsets", kept("union")[-1], *SOURCES, "--streams", tmp_path / "streams.yaml")
    assert code == 2
    assert "DYNAMIC_KAFKA_INVALID_METADATA" in err


def test_an_error_nobody_thought_of_is_exit_code_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("unheard of")

    monkeypatch.setattr("dynamic_kafka.cli.offsets.find_clusters", fail)
    code, _out, err = run("offsets", kept("union")[-1], *SOURCES)
    assert code == 2
    assert "unheard of" in err


def test_the_way_back_says_what_to_subscribe_to(run: Run) -> None:
    code, out, err = run("offsets", kept("single")[-1], "--source", "0=eu-1", "--for-spark", "eu-1")
    assert (code, json.loads(out)) == (0, {"orders": {"0": 4, "1": 5}, "refunds": {"0": 3}})
    assert "subscribe orders,refunds" in err
    assert "txnVersion" in err


def test_the_way_back_has_no_notes_about_where_this_source_begins(run: Run) -> None:
    there = ("offsets", kept("single")[-1], "--source", "0=eu-1")
    of_this_source = "A cluster, topic or partition that is not named begins at its earliest record"
    code, _out, err = run(*there)
    assert (code, of_this_source in err) == (0, True)
    code, _out, err = run(*there, "--for-spark", "eu-1")
    assert (code, of_this_source in err) == (0, False)


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_its_packages_it_says_what_to_install(missing: str) -> None:
    code = f"import sys; sys.modules.update({missing}=None); from dynamic_kafka.cli import main; main()"
    source = Path(dynamic_kafka.__file__).parent.parent
    ended = subprocess.run(
        [sys.executable, "-c", code], check=False, env={"PYTHONPATH": str(source)}, capture_output=True, text=True
    )
    assert ended.returncode == 2
    assert "pip install 'dynamic-kafka-spark[cli]'" in ended.stderr


def test_neither_spark_nor_java_has_to_be_there() -> None:
    code = "import sys; sys.modules.update(pyspark=None, py4j=None); from dynamic_kafka.cli import main; main()"
    source = Path(dynamic_kafka.__file__).parent.parent
    ended = subprocess.run(
        [sys.executable, "-c", code, "offsets", str(kept("union")[-1]), *SOURCES],
        check=False,
        env={"PYTHONPATH": str(source), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert set(json.loads(ended.stdout)) == {"", "eu-1", "eu-2", "us-1"}


def test_many_partitions_are_counted_and_brackets_in_a_name_are_shown(run: Run, tmp_path: Path) -> None:
    checkpoint = written(tmp_path / "wide", {0: kafka(orders=list(range(12)))}, (0,))
    _code, out, err = run("offsets", checkpoint, "--source", "0=[red]eu")
    assert "7: 7, … 4 more" in err
    assert "[red]eu" in err
    assert list(json.loads(out)["[red]eu"]["orders"]) == ["*", *map(str, range(12))]
