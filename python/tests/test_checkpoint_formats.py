"""Checkpoints of every format that Spark 3.5 to 4.3 writes, as these versions wrote them with their own Kafka source.

One is made by hand: no version of Spark writes a rewind yet, though 4.3 reads one.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from checkpoints import COMPAT, UNION, kept

from dynamic_kafka.migrate import Checkpoint, FindingKind, KafkaSource, OtherSource, plan_move, read_checkpoint

# Spark 4.1 and 4.2 write as 4.0 does, but for names.
VERSIONS = ["3.5", "4.0", "4.3"]
ALL = {
    "": "earliest",
    "eu-1": {"*": "earliest", "orders": {"*": "earliest", "0": 4, "1": 5}},
    "eu-2": {"*": "earliest", "orders": {"*": "earliest", "0": 5, "1": 6}},
    "us-1": {"*": "earliest", "orders": {"*": "earliest", "0": 6, "1": 7}},
}


def of(path: Path) -> Checkpoint:
    return read_checkpoint(str(path))


def named(path: Path) -> str:
    return f"{path.parent.name}-{path.name}"


def every(*kinds: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", [path for kind in kinds for path in kept(kind)], ids=named)


def test_every_version_left_a_checkpoint_of_one_source_of_a_union_with_state_and_of_a_batch_that_failed() -> None:
    for kind in ("single", "union", "state", "logged", "never-committed", "no-partitions", "other-sources"):
        assert [path.parent.name for path in kept(kind)] == VERSIONS, kind
    for kind in ("offsets-v2", "commit-v3"):
        assert [path.parent.name for path in kept(kind)] == ["4.3"], kind
    assert [path.parent.name for path in kept("named")] == ["4.2", "4.3"]
    assert [path.parent.name for path in kept("commit-v2")] == VERSIONS[1:]


@every("single")
def test_one_source_goes_on_behind_its_newest_committed_batch(path: Path) -> None:
    move = plan_move(of(path), {"0": "eu-1"}, listed=["eu-1"])
    orders, refunds = {"*": "earliest", "0": 4, "1": 5}, {"*": "earliest", "0": 3}
    known = {"*": "earliest", "orders": orders, "refunds": refunds}
    assert move.starting_offsets == {"": "earliest", "eu-1": known}
    assert move.findings == ()


@every("union", "offsets-v2")
def test_each_source_of_a_union_goes_on_at_its_own_position(path: Path) -> None:
    checkpoint = of(path)
    assert [source.name for source in checkpoint.sources] == ["0", "1", "2"]
    assert plan_move(checkpoint, UNION).starting_offsets == ALL
    assert plan_move(checkpoint, UNION).findings == ()


@every("named")
def test_named_sources_go_on_by_their_names(path: Path) -> None:
    # Spark 4.2 names their folders alone, and logs them by number.
    numbered = path.parent.name == "4.2"
    move = plan_move(of(path), UNION if numbered else {"eu": "eu-1", "us_1": "eu-2", "us_2": "us-1"})
    assert move.starting_offsets == ALL


@every("state", "commit-v2")
def test_state_is_found_with_its_operators_and_the_watermark(path: Path) -> None:
    checkpoint = of(path)
    assert checkpoint.watermark_ms > 1_700_000_000_000
    assert len(checkpoint.operators) == 1
    (finding,) = plan_move(checkpoint, {"0": "eu-1"}).findings
    assert finding.kind is FindingKind.STATE
    assert "The watermark, 2026-" in finding.text


def test_operators_are_named_where_spark_names_them() -> None:
    names = {path.parent.name: of(path).operators for path in kept("state")}
    assert names == {"3.5": ("operator 0",)} | dict.fromkeys(VERSIONS[1:], ("stateStoreSave",))


@every("commit-v3")
def test_a_commit_log_of_version_3_is_read(path: Path) -> None:
    assert (path / "commits" / "0").read_text().startswith("v3\n")
    assert plan_move(of(path), {"0": "eu-1"}).starting_offsets == {"": "earliest", "eu-1": ALL["eu-1"]}


@every("logged")
def test_a_batch_that_was_logged_and_not_committed_is_found_and_read_again(path: Path) -> None:
    checkpoint = of(path)
    move = plan_move(checkpoint, UNION)
    assert (checkpoint.committed, checkpoint.logged) == (0, (1,))
    assert move.starting_offsets["us-1"]["orders"] == {"*": "earliest", "0": 2, "1": 3}
    (finding,) = move.findings
    assert finding.kind is FindingKind.LOGGED_BATCH
    assert "Batch 1 is logged and not committed (16 offsets)" in finding.text


@every("logged")
def test_a_logged_batch_that_is_taken_for_done_is_not_read_again(path: Path) -> None:
    move = plan_move(of(path).with_logged_done(), UNION)
    assert move.starting_offsets["us-1"]["orders"] != {"*": "earliest", "0": 2, "1": 3}
    assert move.findings == ()
    assert any("Batch 1 is not committed, but counted as done" in note for note in move.notes)


@every("never-committed")
def test_before_the_first_commit_a_source_is_where_it_began(path: Path) -> None:
    checkpoint = of(path)
    assert (checkpoint.committed, checkpoint.logged) == (None, (0,))
    assert plan_move(checkpoint, {"0": "eu-1"}).starting_offsets == {
        "": "earliest",
        "eu-1": {"*": "earliest", "orders": {"*": "earliest", "0": 0, "1": 0}},
    }


@every("no-partitions")
def test_a_source_that_found_nothing_yet_begins_at_the_earliest_record(path: Path) -> None:
    checkpoint = of(path)
    assert checkpoint.sources[1] == KafkaSource("1", {})
    move = plan_move(checkpoint, {"0": "eu-1", "1": "eu-2"})
    assert move.starting_offsets["eu-2"] == {"*": "earliest"}
    assert any("Source 1 had found no partition yet" in note for note in move.notes)


@every("other-sources")
def test_a_source_that_is_not_kafka_is_found_and_stays_behind(path: Path) -> None:
    checkpoint = of(path)
    assert isinstance(checkpoint.sources[1], OtherSource)
    move = plan_move(checkpoint, {"0": "eu-1"})
    assert [finding.kind for finding in move.findings] == [FindingKind.OTHER_SOURCE]
    assert plan_move(checkpoint.without("1"), {"0": "eu-1"}).findings == ()


@every("gaps")
def test_asynchronous_progress_is_read_where_it_was_logged_last_and_told(path: Path) -> None:
    checkpoint = of(path)
    move = plan_move(checkpoint, {"0": "eu-1"})
    last = {"3.5": (3, {"*": "earliest", "0": 4, "1": 4}), "4.3": (4, {"*": "earliest", "0": 4, "1": 5})}
    assert (checkpoint.committed, move.starting_offsets["eu-1"]["orders"]) == last[path.parent.name]
    assert checkpoint.gaps[0] == 2
    assert any("asyncProgressTrackingEnabled" in note for note in move.notes)


@every("union")
def test_a_log_without_gaps_is_no_asynchronous_progress(path: Path) -> None:
    assert not any("asyncProgressTrackingEnabled" in note for note in plan_move(of(path), UNION).notes)


def test_a_rewind_counts_though_it_lies_before_earlier_batches() -> None:
    (path,) = kept("rewind-by-hand")
    move = plan_move(of(path), UNION)
    assert move.starting_offsets["us-1"]["orders"] == {"*": "earliest", "0": 2, "1": 3}
    assert any("is a control batch (REWIND)" in note for note in move.notes)


def test_a_checkpoint_of_this_source_goes_on_by_its_clusters() -> None:
    move = plan_move(of(COMPAT / "0.1.0" / "checkpoint"), {})
    orders = {"*": "earliest", "0": 8, "1": 4}
    old = {"*": "earliest", "0": 3}
    assert move.starting_offsets == {
        "": "earliest",
        "a": {"*": "earliest", "kept-old": old, "kept-orders": orders},
        "b": {"*": "earliest", "kept-orders": {"*": "earliest", "0": 7}},
    }
    assert [finding.kind for finding in move.findings] == [FindingKind.UNDRAINED]
    assert "'b' was removed, and 3 offsets at least are not read yet" in move.findings[0].text
