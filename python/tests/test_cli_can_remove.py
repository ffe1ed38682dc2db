"""`dynamic-kafka can-remove`: whether a cluster may be switched off, why not, and its exit codes."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from statuses import cluster, put
from test_cli_status import run as run

DRAINED = cluster("", state="removed")
OLD = timedelta(minutes=4)


def test_a_cluster_that_all_have_drained_or_never_had_can_be_removed(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "drained", {"eu-1": DRAINED, "eu-2": cluster()})
    put(tmp_path, "other", {"eu-2": cluster()})
    put(tmp_path, "old", {"eu-1": DRAINED}, ago=OLD)
    put(tmp_path, "stopped", {}, state="stopped")
    code, out, err = run("can-remove", "eu-1", tmp_path)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert out.count("never had it") == 2
    assert "it may be switched off" in err


@pytest.mark.parametrize(
    ("need", "text"),
    [
        ("listed", "remove it first"),
        ("unrecorded", "no finished batch has recorded"),
        ("draining", "not drained yet"),
        ("successor", "has not taken over"),
        ("deferred", "deferred records are not read yet"),
        ("uncommitted", "an uncommitted batch still reads it"),
        ("a need of later", "a need of later"),
    ],
)
def test_each_need_is_exit_code_1_and_says_why(run: Run, tmp_path: Path, need: str, text: str) -> None:
    put(tmp_path, "well", {"eu-1": DRAINED})
    put(tmp_path, "needs", {"eu-1": cluster(need)})
    code, out, err = run("can-remove", "eu-1", tmp_path)
    assert code == 1
    assert text in " ".join(out.split())
    assert "Do not switch off eu-1" in err


@pytest.mark.parametrize(
    ("clusters", "fields"),
    [
        ({"eu-1": cluster("draining")}, {"ago": OLD}),
        ({"eu-1": cluster("draining")}, {"state": "stopped"}),
        ({"eu-1": cluster("draining")}, {"state": "failed"}),
        (None, {}),
        (None, {"state": "failed"}),
    ],
)
def test_an_old_status_with_needs_is_exit_code_2_until_it_is_deleted(
    run: Run, tmp_path: Path, clusters: dict[str, Any] | None, fields: dict[str, Any]
) -> None:
    put(tmp_path, "well", {"eu-1": DRAINED})
    file = put(tmp_path, "unknown", clusters, **fields)
    code, _out, err = run("can-remove", "eu-1", tmp_path)
    assert code == 2
    assert "It is not known" in err
    assert ("delete id-of-unknown.json" in " ".join(err.split())) is bool(fields)
    put(tmp_path, "needs", {"eu-1": cluster()})
    assert run("can-remove", "eu-1", tmp_path)[0] == 1
    (tmp_path / "id-of-needs.json").unlink()
    file.unlink()
    assert run("can-remove", "eu-1", tmp_path)[0] == 0


@pytest.mark.parametrize("need", ["unrecorded", "draining", "successor"])
def test_what_delays_a_release_is_said_with_it(run: Run, tmp_path: Path, need: str) -> None:
    cause = "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Cluster eu-1 did not answer within 30 s."
    looked = (datetime.now(timezone.utc) - timedelta(minutes=20)).strftime("%Y-%m-%dT%H:%M:%SZ")
    put(tmp_path, "late", {"eu-1": cluster(need, cause=cause, pendingRecords=12)}, looked=looked)
    put(tmp_path, "listed", {"eu-1": cluster(cause=cause, pendingRecords=12)})
    code, out, _err = run("can-remove", "eu-1", tmp_path, "--json")
    late, listed = (one["why"] for one in json.loads(out)["queries"])
    assert code == 1
    assert late[1:] == [
        "[CLUSTER_UNREACHABLE] Cluster eu-1 did not answer within 30 s.",
        "12 records not read yet",
        "the query has prepared no batch for 19 min",
    ]
    assert len(listed) == 1


def test_a_file_that_can_not_be_read_is_exit_code_2(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "well", {"eu-1": DRAINED})
    (tmp_path / "broken.json").write_text("{")
    code, out, _err = run("can-remove", "eu-1", tmp_path)
    assert code == 2
    assert "broken.json" in out
    code, _out, err = run("can-remove", "eu-1", tmp_path / "nowhere")
    assert code == 2
    assert "has no status files" in err


def test_an_id_that_no_query_knows_is_exit_code_2_with_the_nearest_ids(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "well", {"eu-1": DRAINED, "asia": DRAINED})
    code, _out, err = run("can-remove", "eu-l", tmp_path)
    assert code == 2
    assert "1 status read: no query has or had a cluster eu-l" in err
    assert "Is the id right? The statuses list eu-1." in err
    assert "The statuses list asia, eu-1." in run("can-remove", "mars", tmp_path)[2]
    assert "Is the id right" not in run("can-remove", "eu-1", tmp_path)[2]


def test_an_id_that_no_query_knows_may_be_good_on_request(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "well", {"eu-1": DRAINED})
    put(tmp_path, "other", {"eu-2": cluster()})
    code, _out, err = run("can-remove", "gone", tmp_path, "--unknown-ok")
    assert code == 0
    assert "2 statuses read" in err
    code, out, _err = run("can-remove", "gone", tmp_path, "--unknown-ok", "--json")
    found = json.loads(out)
    assert (code, found["known"], found["statuses"], found["nearest"]) == (0, False, 2, ["eu-1", "eu-2"])
    (tmp_path / "broken.json").write_text("{")
    assert run("can-remove", "gone", tmp_path, "--unknown-ok")[0] == 2


def test_the_same_kafka_cluster_under_another_id_counts(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "renamed", {"eu-1": {**DRAINED, "kafkaId": "K1"}, "europe": cluster(kafkaId="K1")})
    put(tmp_path, "mirrored", {"eu-1": {**DRAINED, "kafkaId": "K1"}, "eu-2": cluster(kafkaId="K2")})
    code, out, err = run("can-remove", "eu-1", tmp_path)
    assert code == 1
    assert "europe: the metadata lists it" in " ".join(out.split())
    assert "eu-1 is the same Kafka cluster as europe" in err
    put(tmp_path, "renamed", {"eu-1": DRAINED, "europe": cluster(kafkaId="K3")})
    assert run("can-remove", "eu-1", tmp_path)[0] == 0


def test_json_is_all_that_is_printed(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "well", {"eu-1": DRAINED})
    put(tmp_path, "needs", {"eu-1": cluster("draining", "deferred")})
    code, out, err = run("can-remove", "eu-1", tmp_path, "--json")
    report = json.loads(out)
    assert (code, err, report["verdict"]) == (1, "", "needed")
    assert [(one["query"], one["verdict"]) for one in report["queries"]] == [
        ("needs", "needed"),
        ("well", "can be removed"),
    ]
    assert report["queries"][0]["neededFor"] == {"eu-1": ["draining", "deferred"]}
