"""What the jar reads in checkpoints of this source. What each field means: offsets/ContinuationSuite.scala."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from checkpoints import COMPAT, written
from conftest import Run

from dynamic_kafka._dynamic_offset import dynamic_offsets
from dynamic_kafka.errors import DynamicKafkaError, OffsetVersionError
from dynamic_kafka.migrate import FindingKind, plan_move, read_checkpoint, spark_starting_offsets

OFFSETS = [line.split(" ", 1) for line in (COMPAT / "0.1.0" / "offsets.txt").read_text().strip().split("\n")]

pytestmark = pytest.mark.usefixtures("java")


def text(clusters: object) -> str:
    return json.dumps({"version": 1, "clusters": clusters})


def topic(partitions: object, **more: object) -> object:
    return {"stream": "orders", **more, "partitions": partitions}


@pytest.mark.parametrize("kept", [text for _, text in OFFSETS], ids=[name for name, _ in OFFSETS])
def test_every_kept_offset_is_read_with_each_of_its_positions(tmp_path: Path, kept: str) -> None:
    (offset,) = dynamic_offsets(read_checkpoint(written(tmp_path / "kept", {0: kept}, (0,)))).values()
    for cluster_id, cluster in json.loads(kept).get("clusters", {}).items():
        for name, held in cluster.get("topics", {}).items():
            at = {number: position[1] for number, position in held["partitions"].items()}
            rule = offset.starting[cluster_id][name]
            assert (rule if at else {}) == at | ({"*": rule["*"]} if at else {})
            listed = offset.listed[cluster_id].get(name)
            assert listed == (None if "removed" in held else {int(number): next_ for number, next_ in at.items()})


def test_a_batch_that_gave_something_back_is_read_from_the_folder(tmp_path: Path) -> None:
    held = text({"eu-1": {"topics": {"orders": topic({"0": [1000, 1200, 0], "1": [0, 845, 1]})}}})
    folder = Path(written(tmp_path / "ours", {0: held}, (0,)))
    deferred = folder / "sources" / "0" / "deferred"
    deferred.mkdir(parents=True)
    for number, begin in ((9, 1100), (10, 1000)):
        parts = {"eu-1": {"orders": {"0": [begin, 1200, 0], "1": [0, 845, 0]}}}
        (deferred / str(number)).write_text(json.dumps({"version": 1, "deferred": parts}))
    rule = plan_move(read_checkpoint(str(folder)), {}).starting_offsets["eu-1"]["orders"]
    assert rule == {"*": "earliest", "0": 1000, "1": 845}, "partition 1 is another incarnation"


def test_what_a_real_time_batch_has_begun_with_is_read_from_the_folder(tmp_path: Path) -> None:
    held = text({"eu-1": {"topics": {"orders": topic({"0": [0, 7, 0]})}}})
    begun = text({"eu-1": {"topics": {"orders": topic({"0": [0, 0, 1]})}}})
    folder = Path(written(tmp_path / "ours", {0: held}, (0,)))
    (folder / "sources" / "0" / "realtime").mkdir(parents=True)
    # As the jar writes the offset.
    plain = json.dumps(json.loads(held), separators=(",", ":"))
    start = hashlib.sha256(plain.encode()).hexdigest()
    kept = f'{{"version":1,"realTime":true,"start":"{start}","begun":{begun}}}'
    (folder / "sources" / "0" / "realtime" / "3").write_text(kept)
    assert plan_move(read_checkpoint(str(folder)), {}).starting_offsets["eu-1"]["orders"]["0"] == 0


def test_a_batch_taken_for_done_counts_with_its_end(tmp_path: Path) -> None:
    held = [text({"eu-1": {"topics": {"orders": topic({"0": [0, end, 0]})}}}) for end in (5, 9)]
    checkpoint = read_checkpoint(written(tmp_path / "ours", dict(enumerate(held)), (0,)))
    assert plan_move(checkpoint, {}).starting_offsets["eu-1"]["orders"]["0"] == 5
    assert plan_move(checkpoint.with_logged_done(), {}).starting_offsets["eu-1"]["orders"]["0"] == 9


def test_the_logged_batch_shows_what_the_committed_one_deferred(tmp_path: Path) -> None:
    partitions = [{"0": [0, 4000, 0]}, {"0": [1000, 5000, 1]}]
    held = [text({"eu-1": {"topics": {"orders": topic(at)}}}) for at in partitions]
    checkpoint = read_checkpoint(written(tmp_path / "ours", dict(enumerate(held)), (0,)))
    assert plan_move(checkpoint, {}).starting_offsets["eu-1"]["orders"]["0"] == 1000


def test_a_cluster_of_which_nothing_was_read_is_noted(tmp_path: Path) -> None:
    pending = {"pending": {"rule": "earliest", "since": 17}, "topics": {}}
    held = text({"eu-1": {"topics": {"orders": topic({"0": [0, 7, 0]})}}, "eu-2": pending})
    move = plan_move(read_checkpoint(written(tmp_path / "ours", {0: held}, (0,))), {})
    assert [note for note in move.notes if note.startswith("Nothing of 'eu-2' was read yet.")]


def test_a_topic_of_which_nothing_was_read_is_noted_also_on_the_way_back(tmp_path: Path) -> None:
    pending = {
        "pendingTopics": {"refunds": {"rule": "earliest", "since": 17}},
        "topics": {"orders": topic({"0": [0, 7, 0]})},
    }
    checkpoint = read_checkpoint(written(tmp_path / "ours", {0: text({"eu-1": pending})}, (0,)))
    assert spark_starting_offsets(checkpoint, "eu-1") == {"orders": {"0": 7}}
    (note,) = [one for one in plan_move(checkpoint, {}).notes if "refunds" in one]
    assert note.startswith("Nothing of topic refunds of cluster 'eu-1' was read yet.")


def test_sources_of_one_cluster_are_put_together_whatever_their_rules_are(tmp_path: Path) -> None:
    group = '{"committed":"latest","otherwise":"latest"}'
    pending = text({"eu-1": {"pending": {"rule": group, "since": 17}, "topics": {}}})
    read = text({"eu-1": {"topics": {"orders": topic({"0": [0, 7, 0]})}}})
    move = plan_move(read_checkpoint(written(tmp_path / "two", {0: f"{read}\n{pending}"}, (0,))), {})
    assert move.starting_offsets["eu-1"] == {
        "*": {"committed": "latest", "otherwise": {"timestamp": 17}},
        "orders": {"*": "earliest", "0": 7},
    }


@pytest.mark.parametrize("damaged", ['{"version":3,"clusters":{}}', '{"version":1,"clusters":{"eu-1":'])
def test_an_offset_that_is_newer_or_cut_off_is_refused_with_its_folder(tmp_path: Path, damaged: str) -> None:
    checkpoint = read_checkpoint(written(tmp_path / "ours", {0: damaged}, (0,)))
    why = "version 3; this release reads" if "3" in damaged else "it is not JSON"
    with pytest.raises(OffsetVersionError, match=f"{tmp_path / 'ours'}: The checkpoint.*{why}"):
        plan_move(checkpoint, {})


def test_what_a_removed_topic_has_left_is_to_be_decided_and_the_way_back_leaves_it_out(tmp_path: Path) -> None:
    topics = {
        "orders": topic({"0": [0, 7, 0], "10": [0, 1, 0]}),
        "old": topic({"0": [0, 3, 0]}, removed=5, drain={"0": 5}),
        "older": topic({"0": [0, 3, 0]}, removed=5, drain={}),
    }
    checkpoint = read_checkpoint(written(tmp_path / "ours", {0: text({"eu-1": {"topics": topics}})}, (0,)))
    assert spark_starting_offsets(checkpoint, "eu-1") == {"orders": {"0": 7, "10": 1}}
    (found,) = plan_move(checkpoint, {}).findings
    assert found.kind is FindingKind.UNDRAINED
    assert "Topic old of cluster 'eu-1' was removed, and 2 offsets at least are not read yet" in found.text


def test_without_java_it_says_what_to_install(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = written(tmp_path / "ours", {0: text({"eu-1": {"topics": {"no-java": topic({"0": [0, 7, 0]})}}})}, (0,))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(
        DynamicKafkaError, match=r"\[DYNAMIC_KAFKA_NO_JAVA\] There is no Java, and this needs Java 17 or newer"
    ):
        plan_move(read_checkpoint(checkpoint), {})
    code, out, _err = run("offsets", checkpoint, "--json")
    assert (code, json.loads(out)["error"]["condition"]) == (2, "DYNAMIC_KAFKA_NO_JAVA")
