"""`dynamic-kafka adopt`: what it writes, and what it refuses before it writes anything."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from checkpoints import UNION, damaged, kafka, kept, written
from conftest import Run

from dynamic_kafka.migrate import read_checkpoint

SOURCES = [part for name, cluster in UNION.items() for part in ("--source", f"{name}={cluster}")]
STREAMS = "- streamId: orders\n  clusterMetadataList:\n" + "".join(
    f'    - {{clusterId: {cluster}, bootstrapServers: "b:9092", topics: [orders, refunds, bills]}}\n'
    for cluster in ("eu-1", "eu-2", "us-1")
)


@pytest.fixture
def streams(tmp_path: Path) -> Path:
    file = tmp_path / "streams.yaml"
    file.write_text(STREAMS)
    return file


def committed(folder: Path, *lines: str, operator: str = "") -> str:
    """A checkpoint of two batches whose sources have these offsets."""
    place = written(folder, {number: "\n".join(lines) for number in (0, 1)}, (0, 1))
    (folder / "metadata").write_text('{"id":"7c1b8e5e-0000-4000-8000-000000000000"}')
    if operator:
        (folder / "state" / "0" / "_metadata").mkdir(parents=True)
        info = json.dumps({"operatorInfo": {"operatorId": 0, "operatorName": operator}})
        (folder / "state" / "0" / "_metadata" / "metadata").write_text(f"v1\n{info}")
        (folder / "state" / "0" / "0").mkdir()
        (folder / "state" / "0" / "0" / "1.delta").write_bytes(b"\x00state")
    return place


def test_all_that_is_kept_is_the_same_and_the_sources_are_one(run: Run, tmp_path: Path, streams: Path) -> None:
    lines = (kafka(orders=[3, 4]), kafka(orders=[5], bills=[7]))
    old = committed(tmp_path / "old", *lines, operator="stateStoreSave")
    new = tmp_path / "new"
    code, out, err = run("adopt", old, new, "--streams", streams, "--source", "0=eu-1", "--source", "1=us-1")
    assert code == 0, err
    offset = json.loads(out)
    assert {name: sorted(one["topics"]) for name, one in offset["clusters"].items()} == {
        "eu-1": ["orders"],
        "us-1": ["bills", "orders"],
    }
    assert offset["clusters"]["eu-1"]["topics"]["orders"] == {
        "stream": "orders",
        "partitions": {"0": [0, 3, 0], "1": [0, 4, 0]},
    }
    for name in ("metadata", "commits/0", "commits/1", "state/0/0/1.delta", "state/0/_metadata/metadata"):
        assert (new / name).read_bytes() == (Path(old) / name).read_bytes(), name
    for number in ("0", "1"):
        text = (new / "offsets" / number).read_text().split("\n")
        assert text[:2] == (Path(old) / "offsets" / number).read_text().split("\n")[:2]
        assert json.loads(text[2]) == offset
    assert not (new / "sources").exists()
    assert "1 files of state" in err or "2 files of state" in err
    assert "Never start the old one again" in err


def test_a_dry_run_prints_the_same_and_writes_nothing(run: Run, tmp_path: Path, streams: Path) -> None:
    old = committed(tmp_path / "old", kafka(orders=[3]))
    arguments = ("adopt", old, tmp_path / "new", "--streams", streams, "--source", "0=eu-1", "--json")
    code, out, _ = run(*arguments, "--dry-run")
    dry = json.loads(out)
    assert (code, dry["written"]) == (0, False)
    assert not (tmp_path / "new").exists()
    code, out, _ = run(*arguments)
    assert (code, json.loads(out)) == (0, {**dry, "written": True})


def test_the_checkpoints_of_each_spark_are_adopted(run: Run, tmp_path: Path, streams: Path) -> None:
    for number, old in enumerate(kept("union")):
        code, _, err = run("adopt", old, tmp_path / f"new-{number}", "--streams", streams, *SOURCES)
        assert code == 0, (old, err)
        assert read_checkpoint(str(tmp_path / f"new-{number}")).committed == read_checkpoint(str(old)).committed


@pytest.mark.parametrize(("kind", "sources", "name"), [("offsets-v2", ("0", "1", "2"), None), ("named", (), "all")])
def test_the_source_has_a_name_where_the_log_has_names(
    run: Run, tmp_path: Path, streams: Path, kind: str, sources: tuple[str, ...], name: str | None
) -> None:
    (old,) = (folder for folder in kept(kind) if folder.parent.name == "4.3")
    sources = sources or ("eu", "us_1", "us_2")
    chosen = [part for pair in zip(sources, UNION.values(), strict=True) for part in ("--source", "=".join(pair))]
    arguments = ("adopt", old, tmp_path / "new", "--streams", streams, *chosen)
    code, out, err = run(*arguments, *(("--name", name) if name else ()))
    assert code == 0, err
    version, _, line = (tmp_path / "new" / "offsets" / "2").read_text().split("\n")
    assert (version, line.partition(":")[0]) == ("v2", name or "0")
    assert json.loads(line.partition(":")[2]) == json.loads(out)
    found = {cluster: one["topics"]["orders"]["partitions"] for cluster, one in json.loads(out)["clusters"].items()}
    assert {cluster: [at[1] for at in at.values()] for cluster, at in found.items()} == {
        "eu-1": [4, 5],
        "eu-2": [5, 6],
        "us-1": [6, 7],
    }


def test_batches_of_other_sources_are_refused_before_anything_is_written(
    run: Run, tmp_path: Path, streams: Path
) -> None:
    (kept_one,) = (folder for folder in kept("named") if folder.parent.name == "4.3")
    old = tmp_path / "old"
    shutil.copytree(kept_one, old)
    before = old / "offsets" / "1"
    before.write_text(before.read_text().replace("us_2:", "us_3:"))
    sources = [
        part
        for name, cluster in zip(("eu", "us_1", "us_2"), UNION.values(), strict=True)
        for part in ("--source", f"{name}={cluster}")
    ]
    code, _, err = run("adopt", old, tmp_path / "new", "--streams", streams, *sources, "--name", "all")
    assert code == 2
    assert "Batch 1 of" in err
    assert "has the sources eu, us_1, us_3, where eu, us_1, us_2 are expected" in " ".join(err.split())
    assert not (tmp_path / "new").exists()


def test_a_name_is_asked_for_where_the_log_has_names_and_refused_elsewhere(
    run: Run, tmp_path: Path, streams: Path
) -> None:
    (old,) = (folder for folder in kept("named") if folder.parent.name == "4.3")
    chosen = [
        part
        for name, cluster in zip(("eu", "us_1", "us_2"), UNION.values(), strict=True)
        for part in ("--source", f"{name}={cluster}")
    ]
    plain = committed(tmp_path / "old", kafka(orders=[3]))
    for arguments, said in (
        ((old, *chosen), "name the new one with --name"),
        ((plain, "--source", "0=eu-1", "--name", "all"), "--name does not apply"),
    ):
        code, _, err = run("adopt", arguments[0], tmp_path / "new", "--streams", streams, *arguments[1:])
        assert code == 2
        assert said in err
        assert not (tmp_path / "new").exists()


def test_there_and_back_is_the_same(run: Run, tmp_path: Path, streams: Path) -> None:
    text = kafka(orders=[3, 4], bills=[7])
    old = committed(tmp_path / "old", text, operator="dedupe")
    assert run("adopt", old, tmp_path / "new", "--streams", streams, "--source", "0=eu-1")[0] == 0
    code, out, err = run("adopt", "--back", tmp_path / "new", tmp_path / "back")
    assert code == 0, err
    assert json.loads(out) == json.loads(text)
    assert json.loads((tmp_path / "back" / "offsets" / "1").read_text().split("\n")[2]) == json.loads(text)
    assert (tmp_path / "back" / "state" / "0" / "0" / "1.delta").exists()


def test_the_whole_path_of_a_schema_points_to_the_new_checkpoint(run: Run, tmp_path: Path, streams: Path) -> None:
    old = committed(tmp_path / "old", kafka(orders=[3]), operator="dedupe")
    file = Path(old) / "state" / "0" / "_metadata" / "v2" / "0"
    file.parent.mkdir()
    schema = "0/_stateSchema/default/0_7c"
    file.write_text(f'v2\n{{"stateSchemaFilePaths":["file:/elsewhere/state/{schema}"],"state/":"kept"}}')
    assert run("adopt", old, tmp_path / "new", "--streams", streams, "--source", "0=eu-1")[0] == 0
    found = (tmp_path / "new" / "state" / "0" / "_metadata" / "v2" / "0").read_text()
    assert found == f'v2\n{{"stateSchemaFilePaths":["file:{tmp_path}/new/state/{schema}"],"state/":"kept"}}'


ours = '{"version":1,"clusters":{"eu-1":{"topics":{"orders":{"stream":"orders",%s"partitions":{"0":[0,3,0]}}}}%s}}'
US = ',"us-1":{"topics":{}}'


@pytest.mark.parametrize(
    ("lines", "operator", "more", "said"),
    [
        ((kafka(orders=[3]), kafka(orders=[3])), "", ("1=eu-1",), "two sources read topic orders of cluster eu-1"),
        ((kafka(orders=[3]), kafka(others=[3])), "", ("1=us-1",), "topic others of source 1 is not listed"),
        ((kafka(orders=[3]), "{}"), "", ("1=us-1",), "source 1 has no position"),
        ((kafka(orders=[3]), '{"logOffset":4}'), "", (), "source 1 is no Kafka source"),
        ((kafka(orders=[3]), ours % ("", "")), "", (), "source 1 is dynamic-kafka"),
        ((kafka(orders=[3]),), "symmetricHashJoin", (), "the state of symmetricHashJoin was not tried"),
        ((kafka(orders=[3]),), "transformWithStateExec", (), "the state of transformWithStateExec was not tried"),
    ],
)
def test_what_can_not_be_taken_along_is_refused_before_anything_is_written(
    run: Run, tmp_path: Path, streams: Path, lines: tuple[str, ...], operator: str, more: tuple[str, ...], said: str
) -> None:
    old = committed(tmp_path / "old", *lines, operator=operator)
    named = [part for one in ("0=eu-1", *more) for part in ("--source", one)]
    code, out, err = run("adopt", old, tmp_path / "new", "--streams", streams, *named)
    assert (code, out) == (2, "")
    assert said in err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ours % ("", US), "positions of 2 clusters"),
        (ours % ('"removed":7,', ""), "orders of cluster eu-1 was removed"),
        (kafka(orders=[3]), "is Spark's own Kafka source"),
    ],
)
def test_what_spark_can_not_continue_does_not_go_back(run: Run, tmp_path: Path, text: str, said: str) -> None:
    code, out, err = run("adopt", "--back", committed(tmp_path / "old", text), tmp_path / "new")
    assert (code, out) == (2, "")
    assert said in err
    assert not (tmp_path / "new").exists()


def test_a_part_that_was_deferred_does_not_go_back(run: Run, tmp_path: Path) -> None:
    old = committed(tmp_path / "old", ours % ("", ""))
    (tmp_path / "old" / "sources" / "0" / "deferred").mkdir(parents=True)
    text = '{"version":1,"deferred":{"eu-1":{"orders":{"0":[2,3,0]}}}}'
    (tmp_path / "old" / "sources" / "0" / "deferred" / "0").write_text(text)
    code, _, err = run("adopt", "--back", old, tmp_path / "new")
    assert code == 2
    assert "a part of a batch was deferred" in err


def _uncommit(folder: Path) -> None:
    newest = max(map(int, (file.name for file in (folder / "commits").glob("[0-9]*"))))
    (folder / "commits" / str(newest)).unlink()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_uncommit, "was logged and not committed"),
        (lambda folder: [file.unlink() for file in (folder / "commits").iterdir()], "no batch is committed"),
    ],
)
def test_an_unfinished_query_is_refused(
    run: Run, tmp_path: Path, streams: Path, change: Callable[[Path], object], said: str
) -> None:
    code, _, err = run("adopt", damaged(tmp_path, "union", change), tmp_path / "new", "--streams", streams, *SOURCES)
    assert code == 2
    assert said in err
    assert not (tmp_path / "new").exists()


def test_a_folder_that_exists_and_arguments_that_exclude_each_other_are_refused(
    run: Run, tmp_path: Path, streams: Path
) -> None:
    old = committed(tmp_path / "old", kafka(orders=[3]))
    (tmp_path / "there").mkdir()
    named = ("--source", "0=eu-1")
    for arguments, said in (
        ((old, tmp_path / "there", "--streams", streams, *named), "exists already"),
        ((old, tmp_path / "new"), "with --streams"),
        (("--back", old, tmp_path / "new", "--streams", streams), "--back needs no --streams"),
    ):
        code, _, err = run("adopt", *arguments)
        assert code == 2
        assert said in err, arguments


def test_a_file_that_can_not_be_read_is_named_and_nothing_is_left(run: Run, tmp_path: Path, streams: Path) -> None:
    old = committed(tmp_path / "old", kafka(orders=[3]))
    (tmp_path / "old" / "metadata").unlink()
    code, _, err = run("adopt", old, tmp_path / "new", "--streams", streams, "--source", "0=eu-1")
    assert code == 2
    assert "A file can't be read or written: java.io.FileNotFoundException" in err
    assert "old/metadata" in err
    assert not (tmp_path / "new").exists()


def test_what_was_written_is_read_again(
    run: Run, tmp_path: Path, streams: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = committed(tmp_path / "old", kafka(orders=[3]))
    other = read_checkpoint(committed(tmp_path / "other", kafka(orders=[4])))
    looks = iter((read_checkpoint(old), other))
    monkeypatch.setattr("dynamic_kafka.cli.adopt.read_checkpoint", lambda _: next(looks))
    code, _, err = run("adopt", old, str(tmp_path / "new"), "--streams", streams, "--source", "0=eu-1")
    assert code == 2
    assert "was read again, and does not say the same" in err
