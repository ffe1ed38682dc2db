"""`dynamic-kafka status`: what it prints of a folder, in which order, and its exit codes."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from statuses import cluster, put

import dynamic_kafka

LONG = "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Cannot read end offsets of cluster us-1 (3 tries in 12 s): no answer. " * 4


@pytest.fixture
def run(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The same on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    return run


def sick_folder(folder: Path) -> Path:
    """One query of each kind, the best first."""
    put(folder, "stopped", {"eu-1": cluster()}, state="stopped", ago=timedelta(days=5))
    put(folder, "well", {"eu-1": cluster(), "eu-2": cluster(state="draining")})
    put(folder, "starting", None)
    put(
        folder, "sick", {"eu-1": cluster(), "us-1": cluster(state="unavailable", cause=LONG, pendingRecords=18_400_000)}
    )
    put(
        folder,
        "failed",
        {"eu-1": cluster()},
        state="failed",
        condition="DYNAMIC_KAFKA_DATA_LOSS",
        concerns=["cluster eu-1", "topic orders"],
        ago=timedelta(hours=3),
    )
    put(folder, "silent", {"eu-1": cluster(pendingRecords=12)}, ago=timedelta(minutes=4))
    (folder / "broken.json").write_text("{")
    return folder


def test_the_worst_comes_first_on_80_columns_with_state_lag_age_and_cause(run: Run, tmp_path: Path) -> None:
    code, out, err = run("status", sick_folder(tmp_path))
    assert (code, err) == (1, "")
    assert max(map(len, out.splitlines())) <= 80
    table = out[: out.index("broken.json\n")].splitlines()
    firsts = [line.split()[0] for line in table if line.strip() and "─" not in line]
    assert firsts == ["Query", "broken.json", "silent", "failed", "sick", "starting", "well", "stopped"]
    assert "It wrote nothing for 4 min: its driver is dead, or hangs." in out
    assert "It failed with DATA_LOSS: cluster eu-1, topic orders." in out
    assert "18.4M" in out
    assert "  us-1 unavailable, 18.4M records behind: [CLUSTER_UNREACHABLE] Cannot read" in out
    assert "1 unavailable, 1 reading" in out
    assert "1 reading, 1 draining" in out
    assert "5 d" in out


@pytest.mark.parametrize("kind", ["running", "stopped"])
def test_queries_that_are_well_are_exit_code_0(run: Run, tmp_path: Path, kind: str) -> None:
    put(tmp_path, "q", {"eu-1": cluster(), "us-1": cluster(state="inactive", cause=LONG)}, state=kind)
    assert run("status", tmp_path)[0] == 0


@pytest.mark.parametrize(
    ("clusters", "fields"),
    [
        ({"eu-1": cluster(state="unavailable")}, {}),
        ({"eu-1": cluster(cause="[DYNAMIC_KAFKA_NOT_AUTHORIZED] READ on topic orders")}, {}),
        ({"eu-1": cluster(deferredRecords=3)}, {}),
        ({"eu-1": cluster(state=None, uncommittedRecords=3)}, {}),
        (
            {"eu-1": cluster()},
            {"refused": {"condition": "DYNAMIC_KAFKA_INVALID_METADATA", "reason": "line 4", "at": "x"}},
        ),
        ({"eu-1": cluster()}, {"state": "failed"}),
        ({"eu-1": cluster()}, {"ago": timedelta(minutes=4)}),
        (None, {"ago": timedelta(minutes=4)}),
        ({"eu-1": cluster()}, {"state": "stopped", "endedBy": "process", "ago": timedelta(minutes=4)}),
    ],
)
def test_each_thing_that_is_wrong_is_exit_code_1(
    run: Run, tmp_path: Path, clusters: dict[str, Any] | None, fields: dict[str, Any]
) -> None:
    put(tmp_path, "q", clusters, **fields)
    assert run("status", tmp_path)[0] == 1


def test_a_driver_that_was_asked_to_end_may_start_again_for_three_minutes(run: Run, tmp_path: Path) -> None:
    ended = {"state": "stopped", "endedBy": "process"}
    put(tmp_path, "q", {"eu-1": cluster()}, ago=timedelta(minutes=2), **ended)
    assert run("status", tmp_path)[0] == 0
    put(tmp_path, "q", {"eu-1": cluster()}, ago=timedelta(minutes=4), **ended)
    out = " ".join(run("status", tmp_path)[1].split())
    assert "its driver was asked to end (SIGTERM, Ctrl-C), and did not start again" in out


def test_a_cause_that_several_clusters_have_is_written_out_for_the_first_of_them(run: Run, tmp_path: Path) -> None:
    gone = "[DYNAMIC_KAFKA_STREAM_NOT_FOUND] The metadata has no stream orders, which streamIds names."
    other = "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Cluster us-1 did not answer."
    clusters = {
        "eu-1": cluster(state="draining", cause=gone, pendingRecords=9),
        "eu-2": cluster("", state="removed", cause=gone),
        "us-1": cluster(state="unavailable", cause=other, pendingRecords=5),
    }
    put(tmp_path, "q", clusters)
    out = " ".join(run("status", tmp_path)[1].split())
    assert out.count("The metadata has no stream orders") == 1
    assert "eu-1 draining, 9 records behind: [STREAM_NOT_FOUND] The metadata has" in out
    assert "eu-2 removed: [STREAM_NOT_FOUND] as eu-1" in out
    assert "us-1 unavailable, 5 records behind: [CLUSTER_UNREACHABLE] Cluster us-1 did not answer." in out


def deferral(**fields: Any) -> dict[str, Any]:
    counts = {"batch": 12, "partitions": 3, "records": 12000, "condition": "DYNAMIC_KAFKA_CLUSTER_UNREACHABLE"}
    return {**counts, "at": ago(minutes=9), **fields}


def ago(**time: float) -> str:
    return (datetime.now(timezone.utc) - timedelta(**time)).isoformat().replace("+00:00", "Z")


def test_what_a_batch_deferred_is_said_in_one_line_and_why(run: Run, tmp_path: Path) -> None:
    sick = cluster(state="unavailable", pendingRecords=15000, deferredRecords=12000, lastDeferral=deferral())
    put(tmp_path, "q", {"c": sick, "d": cluster(deferredRecords=1)})
    code, out, _ = run("status", tmp_path)
    said = " ".join(out.split())
    assert code == 1
    assert (
        "c unavailable, 15,000 records behind, 12,000 deferred records not read yet, "
        "deferred in batch 12: 3 partitions of c, 12,000 records (CLUSTER_UNREACHABLE)"
    ) in said
    assert "d reading, 1 deferred record not read yet" in said


@pytest.mark.parametrize("minutes", [2, 61])
def test_that_it_was_made_good_is_said_for_an_hour_and_is_nothing_to_look_at(
    run: Run, tmp_path: Path, minutes: int
) -> None:
    good = deferral(batch=None, partitions=1, at=ago(minutes=minutes + 7), madeGood=ago(minutes=minutes))
    put(tmp_path, "q", {"c": cluster(lastDeferral=good)})
    code, out, _ = run("status", tmp_path)
    said = " ".join(out.split())
    assert code == 0
    line = (
        "deferred in an earlier batch: 1 partition of c, 12,000 records (CLUSTER_UNREACHABLE): "
        "made good 2 min ago, after 7 min."
    )
    assert (line in said) == (minutes == 2), out


def test_what_can_not_be_read_is_exit_code_2(run: Run, tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        code, out, err = run("status", place)
        assert (code, out) == (2, "")
        assert "has no status files" in err
    put(tmp_path, "well", {"eu-1": cluster()})
    for number, text in enumerate(["", "{", "[]", "{}", '{"format": 2}', '{"format": "x"}']):
        (tmp_path / "other.json").write_text(text)
        code, out, _err = run("status", tmp_path)
        assert (code, "unreadable" in out) == (2, True), number
    assert run("status", "nowhere://host/folder")[0] == 2


def test_json_has_the_whole_files_and_what_is_judged_of_them(run: Run, tmp_path: Path) -> None:
    code, out, err = run("status", sick_folder(tmp_path), "--json")
    found = json.loads(out)
    assert (code, err) == (1, "")
    assert [one.get("status", {}).get("query", {}).get("name") for one in found[:4]] == [
        None,
        "silent",
        "failed",
        "sick",
    ]
    assert [(one["silent"], one["found"]) for one in found[1:]] == [
        (True, True),
        (False, True),
        (False, True),
        (False, False),
        (False, False),
        (False, False),
    ]
    assert found[3]["status"]["clusters"]["us-1"]["cause"] == LONG
    assert found[3]["pendingRecords"] == 18_400_000
    assert "unreadable" in found[0]


def test_a_draft_beside_the_files_is_none_of_them(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "q", {"eu-1": cluster()})
    (tmp_path / ".q.json.draft").write_text("{")
    (tmp_path / ".q.json").write_text("{")
    assert run("status", tmp_path)[0] == 0


def test_a_folder_behind_fsspec_is_read_too(run: Run, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    file = put(tmp_path, "far", {"eu-1": cluster()})
    files.pipe_file("/statuses/q.json", file.read_bytes())
    code, out, _err = run("status", "memory://statuses")
    assert code == 0
    assert "far" in out


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_60_queries_are_seen_in_a_second_without_spark_or_java(tmp_path: Path) -> None:
    many = {f"cluster-{number}": cluster(cause=LONG, state="unavailable") for number in range(12)}
    for number in range(60):
        put(tmp_path, f"query-{number}", many)
    code = "import sys; sys.modules.update(pyspark=None, py4j=None); from dynamic_kafka.cli import main; main()"
    source = Path(dynamic_kafka.__file__).parent.parent
    before = cpu_of_children()
    ended = subprocess.run(
        [sys.executable, "-c", code, "status", str(tmp_path), "--json"],
        check=False,
        env={"PYTHONPATH": str(source), "PATH": ""},
        capture_output=True,
        text=True,
    )
    taken = cpu_of_children() - before
    assert ended.returncode == 1, ended.stderr
    assert len(json.loads(ended.stdout)) == 60
    # By the processor, which beside other tests is slower, too; by the clock it may take any time there.
    assert taken < 2, taken


@pytest.mark.parametrize(("minutes", "shown"), [(14, False), (16, True)])
def test_a_query_that_writes_and_prepares_no_batch_is_shown_and_no_finding(
    run: Run, tmp_path: Path, minutes: int, shown: bool
) -> None:
    looked = (datetime.now(timezone.utc) - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")
    put(tmp_path, "busy", {"eu-1": cluster()}, looked=looked)
    code, out, _err = run("status", tmp_path)
    assert (code, "no new batch for" in out) == (0, shown)


def test_no_line_ends_between_a_number_and_its_state(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    states = ("unavailable", "reading", "draining", "paused", "standby")
    put(tmp_path, "orders", {state: cluster(state=state) for state in states})
    for columns in range(60, 120, 7):
        monkeypatch.setenv("COLUMNS", str(columns))
        _code, out, _err = run("status", tmp_path)
        assert [line for line in out.splitlines() if line.rstrip().endswith(" 1")] == [], out


def test_the_last_line_says_how_many_to_look_at(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "good", {"a": cluster()})
    assert run("status", tmp_path)[1].splitlines()[-1] == "1 query: good."
    put(tmp_path, "dead", {"a": cluster(state="unavailable")})
    (tmp_path / "broken.json").write_text("{")
    assert run("status", tmp_path)[1].splitlines()[-1] == "3 queries: 2 to look at."


def test_watch_redraws_until_ctrl_c_and_ends_with_what_it_saw_last(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "first", {"eu-1": cluster()})
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    pauses = iter(range(2))

    def pause() -> None:
        if next(pauses, None) is None:
            raise KeyboardInterrupt
        put(tmp_path, "first", {"eu-1": cluster(state="unavailable", cause=LONG)})

    monkeypatch.setattr(dynamic_kafka.cli.status, "_pause", pause)
    code, out, err = run("status", tmp_path, "--watch")
    assert (code, err) == (1, "")
    assert [out.count(text) for text in ("1 query: good.", "1 query: 1 to look at.")] == [1, 3]
    code, _, err = run("status", tmp_path, "--watch", "--json")
    assert code == 2
    assert "give one of them" in err
