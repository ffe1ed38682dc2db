"""What an offset of this source says for a new query; docs/checkpoint.md has its fields."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkpoints import COMPAT, written

from dynamic_kafka._dynamic_offset import is_dynamic, parse_dynamic
from dynamic_kafka.errors import OffsetVersionError
from dynamic_kafka.migrate import plan_move, read_checkpoint, spark_starting_offsets

OFFSETS = [line.split(" ", 1) for line in (COMPAT / "0.1.0" / "offsets.txt").read_text().strip().split("\n")]


def text(clusters: object) -> str:
    return json.dumps({"version": 1, "clusters": clusters})


def topic(partitions: object, **more: object) -> object:
    return {"stream": "orders", **more, "partitions": partitions}


@pytest.mark.parametrize("kept", [text for _, text in OFFSETS], ids=[name for name, _ in OFFSETS])
def test_every_kept_offset_is_read_with_each_of_its_positions(kept: str) -> None:
    assert is_dynamic(kept)
    offset = parse_dynamic(kept, None)
    for cluster_id, cluster in json.loads(kept).get("clusters", {}).items():
        for name, held in cluster.get("topics", {}).items():
            for partition, position in held["partitions"].items():
                assert offset.starting[cluster_id][name][partition] == position[1]


def test_leader_epochs_are_not_needed_and_change_nothing() -> None:
    partitions = {"0": [1000, 1200, 0, 17], "1": [0, 845, 1]}
    held = json.dumps({"version": 2, "clusters": {"eu-1": {"topics": {"orders": topic(partitions)}}}})
    given_back = '{"version":1,"deferred":{"eu-1":{"orders":{"0":[1000,1200,0]}}}}'
    assert is_dynamic(held)
    offset = parse_dynamic(held, None)
    assert offset.starting["eu-1"]["orders"] == {"*": "earliest", "0": 1200, "1": 845}
    assert offset.listed["eu-1"]["orders"] == {0: 1200, 1: 845}
    assert parse_dynamic(held, given_back).starting["eu-1"]["orders"]["0"] == 1000


def test_what_a_batch_gave_back_is_read_again() -> None:
    held = text({"eu-1": {"topics": {"orders": topic({"0": [1000, 1200, 0], "1": [0, 845, 1]})}}})
    given_back = '{"version":1,"deferred":{"eu-1":{"orders":{"0":[1000,1200,0],"1":[0,845,0]}}}}'
    rule = parse_dynamic(held, given_back).starting["eu-1"]["orders"]
    assert rule == {"*": "earliest", "0": 1000, "1": 845}, "partition 1 is another incarnation"


def test_a_batch_that_gave_something_back_is_read_from_the_folder(tmp_path: Path) -> None:
    held = text({"eu-1": {"topics": {"orders": topic({"0": [1000, 1200, 0]})}}})
    folder = Path(written(tmp_path / "ours", {0: held}, (0,)))
    deferred = folder / "sources" / "0" / "deferred"
    deferred.mkdir(parents=True)
    for number, begin in ((9, 1100), (10, 1000)):
        entry = {"version": 1, "deferred": {"eu-1": {"orders": {"0": [begin, 1200, 0]}}}}
        (deferred / str(number)).write_text(json.dumps(entry))
    assert plan_move(read_checkpoint(str(folder)), {}).starting_offsets["eu-1"]["orders"]["0"] == 1000


def test_a_cluster_never_reached_begins_by_its_rule_as_of_its_first_listing() -> None:
    pending = {"rule": '{"*":"latest","orders":{"0":5}}', "since": 17}
    unread = {"refunds": {"rule": '{"refunds":{"*":"latest"}}', "since": 18}}
    rules = parse_dynamic(text({"eu-1": {"pending": pending}, "eu-2": {"unread": unread}}), None).starting
    assert rules["eu-1"] == {"*": {"timestamp": 17}, "orders": {"0": 5}}
    assert rules["eu-2"] == {"*": "earliest", "refunds": {"*": {"timestamp": 18}}}
    assert parse_dynamic(text({"eu-1": {"pending": {"rule": "latest", "since": 3}}}), None).starting == {
        "eu-1": {"timestamp": 3}
    }


def test_a_log_goes_on_under_its_former_ids_too() -> None:
    held = {"eu-2": {"topics": {"orders": topic({"0": [0, 7, 1]}, formers={"eu-1": {"0": 5}})}}}
    rules = parse_dynamic(text(held), None).starting
    assert rules["eu-1"] == {"*": "earliest", "orders": {"*": "earliest", "0": 7}}


def test_a_newer_offset_is_refused_by_its_number(tmp_path: Path) -> None:
    with pytest.raises(OffsetVersionError, match="source 0: An offset has version 3"):
        read_checkpoint(written(tmp_path / "newer", {0: '{"version":3,"clusters":{}}'}, (0,)))


def test_what_a_removed_topic_has_left_is_counted_by_partition_and_an_end_that_is_not_known_counts_as_one() -> None:
    def left(**more: object) -> object:
        held = topic({"0": [0, 3, 0], "1": [0, 9, 0]}, removed=5, **more)
        return dict(parse_dynamic(text({"eu-1": {"topics": {"old": held}}}), None).undrained)

    old = ("eu-1", "old")
    assert left() == {old: 1}
    assert left(drain={}) == left(drain={"0": 3, "1": 9}) == {}
    assert left(drain={"0": 7, "1": 9, "2": None}) == {old: 5}


def test_the_way_back_leaves_out_what_was_removed(tmp_path: Path) -> None:
    topics = {"orders": topic({"0": [0, 7, 0], "10": [0, 1, 0]}), "old": topic({"0": [0, 3, 0]}, removed=5, drain={})}
    checkpoint = read_checkpoint(written(tmp_path / "ours", {0: text({"eu-1": {"topics": topics}})}, (0,)))
    assert spark_starting_offsets(checkpoint, "eu-1") == {"orders": {"0": 7, "10": 1}}
