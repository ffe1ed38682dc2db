"""Moves that can't be, which source is which cluster, and the way back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from checkpoints import UNION, damaged, kafka, kept, offsets_file, written

from dynamic_kafka import ClusterMetadata, KafkaStream
from dynamic_kafka._checkpoint_source import SourceTexts, parse_source
from dynamic_kafka.errors import CheckpointError, InvalidOptionError, OffsetVersionError
from dynamic_kafka.migrate import (
    FindingKind,
    KafkaSource,
    OtherSource,
    find_clusters,
    plan_move,
    read_checkpoint,
    spark_starting_offsets,
)


def stream(**topics: list[str]) -> list[KafkaStream]:
    clusters = {name: ClusterMetadata(of, bootstrap_servers="b1:9092") for name, of in topics.items()}
    return [KafkaStream("orders", clusters)]


def cut(file: Callable[[Path], Path], keep: Callable[[str], str]) -> Callable[[Path], object]:
    return lambda folder: file(folder).write_text(keep(file(folder).read_text()))


def newest_commit(folder: Path) -> Path:
    return folder / "commits" / "2"


def test_a_folder_without_logs_is_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "part-0000.json").write_text("{}")
    for location in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CheckpointError, match="It is no checkpoint of a streaming query"):
            read_checkpoint(str(location))


def test_a_checkpoint_whose_query_began_nothing_is_empty(tmp_path: Path) -> None:
    (tmp_path / "metadata").write_text('{"id":"x"}')
    with pytest.raises(CheckpointError, match="It holds no batch, and no source has begun"):
        read_checkpoint(str(tmp_path))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cut(offsets_file, lambda _: ""), "file offsets/2: It is empty"),
        (cut(offsets_file, lambda _: "v1\n"), "file offsets/2: It ends before the first source"),
        (cut(offsets_file, lambda text: text[:200]), "file offsets/2: .*cut off"),
        (cut(offsets_file, lambda text: text[:-4]), "source 2: an offset is no JSON"),
        (cut(offsets_file, lambda text: text.rpartition("\n")[0]), "file offsets/2: It has 2 sources, and source 2"),
        (cut(offsets_file, lambda text: text.replace("v1", "{}", 1)), "does not begin with a version such as v1"),
        (cut(newest_commit, lambda _: ""), "file commits/2: It is empty"),
        (lambda folder: offsets_file(folder).unlink(), "Batch 2 is committed, and the offset log does not have it"),
        (cut(offsets_file, lambda text: text.replace('"1":7', '"1":-1')), "Partition 1 of topic orders is at -1"),
    ],
)
def test_a_file_cut_off_or_damaged_is_named(tmp_path: Path, change: Callable[[Path], object], message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        read_checkpoint(damaged(tmp_path, "union", change))


def test_a_partition_without_a_number_is_damage_where_the_log_names_the_provider() -> None:
    with pytest.raises(CheckpointError, match="Topic orders has no partitions in an offset"):
        parse_source(SourceTexts("0", "kafka", committed='{"orders":{"x":7}}'))


def test_no_cut_of_an_entry_gives_other_positions(tmp_path: Path) -> None:
    whole = plan_move(read_checkpoint(str(kept("union")[-1])), UNION).starting_offsets
    folder = Path(damaged(tmp_path, "union", lambda _: None))
    text = offsets_file(folder).read_bytes()
    refused = 0
    for end in range(len(text)):
        offsets_file(folder).write_bytes(text[:end])
        try:
            assert plan_move(read_checkpoint(str(folder)), UNION).starting_offsets == whole, end
        except CheckpointError:
            refused += 1
    assert refused == len(text), "no cut is read"


def test_a_named_source_that_the_newest_entry_does_not_have_is_found(tmp_path: Path) -> None:
    fewer = cut(offsets_file, lambda text: text.rpartition("\n")[0])
    checkpoint = read_checkpoint(damaged(tmp_path, "named", fewer))
    clusters = {source.name: source.name for source in checkpoint.sources}
    assert [finding.kind for finding in plan_move(checkpoint, clusters).findings] == [FindingKind.MISSING_SOURCE]
    assert len(checkpoint.missing) == 1


@pytest.mark.parametrize("name", ["offsets/2", "commits/2"])
def test_a_newer_version_is_refused_by_its_number(tmp_path: Path, name: str) -> None:
    newer = cut(lambda folder: folder / name, lambda text: text.replace("v1", "v9", 1))
    with pytest.raises(OffsetVersionError, match=f"file {name}: It has version 9; this release reads up to version"):
        read_checkpoint(damaged(tmp_path, "union", newer))


def test_a_newer_version_is_refused_where_the_batch_is_not_committed(tmp_path: Path) -> None:
    newer = cut(offsets_file, lambda text: text.replace("v1", "v3", 1))
    with pytest.raises(OffsetVersionError, match="file offsets/1: It has version 3"):
        read_checkpoint(damaged(tmp_path, "logged", newer))


def test_a_logged_batch_that_is_cut_off_moves_nothing_and_can_not_be_taken_for_done(tmp_path: Path) -> None:
    checkpoint = read_checkpoint(damaged(tmp_path, "logged", cut(offsets_file, lambda text: text[:-30])))
    whole = plan_move(read_checkpoint(str(kept("logged")[-1])), UNION)
    assert plan_move(checkpoint, UNION).starting_offsets == whole.starting_offsets
    assert checkpoint.logged == (1,)
    with pytest.raises(CheckpointError, match="can't count as done"):
        checkpoint.with_logged_done()


def test_a_checkpoint_of_other_sources_alone_has_nothing_to_move(tmp_path: Path) -> None:
    checkpoint = read_checkpoint(written(tmp_path / "files", {0: '{"logOffset":3}'}, (0,)))
    assert checkpoint.sources == (OtherSource("0", "not known"),)
    with pytest.raises(CheckpointError, match="none of its sources that are to move has a position in Kafka"):
        plan_move(checkpoint, {})


def test_two_sources_of_one_cluster_with_one_topic_do_not_move(tmp_path: Path) -> None:
    checkpoint = read_checkpoint(written(tmp_path / "twice", {0: f"{kafka(orders=[3])}\n{kafka(orders=[5])}"}, (0,)))
    both = {"0": "eu-1", "1": "eu-1"}
    with pytest.raises(InvalidOptionError, match="Sources 0 and 1 both read topic orders of cluster 'eu-1'"):
        plan_move(checkpoint, both)
    alone = plan_move(checkpoint.without("1"), {"0": "eu-1"}).starting_offsets
    assert alone["eu-1"]["orders"] == {"*": "earliest", "0": 3}


def test_two_sources_of_one_cluster_with_other_topics_move_together(tmp_path: Path) -> None:
    text = f"{kafka(orders=[3])}\n{kafka(refunds=[5])}"
    move = plan_move(read_checkpoint(written(tmp_path / "two", {0: text}, (0,))), {"0": "eu-1", "1": "eu-1"})
    assert set(move.starting_offsets["eu-1"]) == {"*", "orders", "refunds"}


def test_a_source_is_found_by_its_topics_where_one_cluster_alone_lists_them(tmp_path: Path) -> None:
    text = f"{kafka(orders=[3])}\n{kafka(refunds=[5], orders=[1])}"
    checkpoint = read_checkpoint(written(tmp_path / "two", {0: text}, (0,)))
    listed = stream(eu=["orders"], us=["orders", "refunds"])
    with pytest.raises(InvalidOptionError, match=r"Which cluster is source 0.*'eu', 'us' all list them"):
        find_clusters(checkpoint, listed)
    assert find_clusters(checkpoint, listed, {"0": "eu"}) == {"0": "eu", "1": "us"}


@pytest.mark.parametrize(
    ("listed", "said", "message"),
    [
        ([], {}, "Which cluster is source 0.*no streams were given"),
        (stream(eu=["others"]), {}, "no cluster of the streams lists them all"),
        (stream(eu=["orders"]), {}, "'eu' alone lists them, and source 1 would be the same cluster"),
        (stream(eu=["orders"]), {"0": "ue"}, "said to be cluster 'ue', which the streams do not list.* 'eu'"),
        ([], {"7": "eu"}, "The checkpoint has no source '7'. It has: '0', '1', '2'"),
    ],
)
def test_nothing_is_guessed(listed: list[KafkaStream], said: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidOptionError, match=message):
        find_clusters(read_checkpoint(str(kept("union")[-1])), listed, said)


def test_a_cluster_that_the_checkpoint_does_not_know_is_named_to_begin_at_its_earliest_record() -> None:
    move = plan_move(read_checkpoint(str(kept("single")[-1])), {"0": "eu-1"}, listed=["eu-1", "us-9"])
    assert move.starting_offsets["us-9"] == "earliest"
    assert any("does not know 'us-9'" in note for note in move.notes)


def test_every_move_warns_of_sinks_that_remember_batch_ids() -> None:
    assert any("txnVersion" in note for note in plan_move(read_checkpoint(str(kept("union")[0])), UNION).notes)


def test_batches_with_gaps_as_asynchronous_progress_leaves_them_are_read(tmp_path: Path) -> None:
    entries = {number: kafka(orders=[number]) for number in (0, 2, 5, 9)}
    checkpoint = read_checkpoint(written(tmp_path / "gaps", entries, (0, 2, 5)))
    assert (checkpoint.committed, checkpoint.logged) == (5, (9,))
    assert checkpoint.sources == (KafkaSource("0", {"orders": {0: 5}}, {"orders": {0: 9}}),)


def test_drafts_and_checksums_are_no_batches(tmp_path: Path) -> None:
    folder = written(tmp_path / "drafts", {0: kafka(orders=[4])}, (0,))
    for name in (".1.crc", ".1.5e1a.tmp", "1.tmp", "x"):
        Path(folder, "offsets", name).write_text("")
    assert read_checkpoint(folder).logged == ()


def test_the_way_back_has_each_cluster_for_itself() -> None:
    checkpoint = read_checkpoint(str(kept("union")[-1]))
    assert spark_starting_offsets(checkpoint, "us-1", UNION) == {"orders": {"0": 6, "1": 7}}
    with pytest.raises(InvalidOptionError, match=r"no position of cluster 'us-2'\. It has: 'eu-1', 'eu-2', 'us-1'"):
        spark_starting_offsets(checkpoint, "us-2", UNION)


def test_a_copy_in_another_place_is_the_same(tmp_path: Path) -> None:
    shutil.copytree(kept("named")[-1], tmp_path / "with space%20")
    copied = read_checkpoint((tmp_path / "with space%20").as_uri())
    assert copied.sources == read_checkpoint(str(kept("named")[-1])).sources


def test_offsets_are_what_the_builder_takes() -> None:
    move = plan_move(read_checkpoint(str(kept("union")[-1])), UNION)
    assert json.loads(json.dumps(dict(move.starting_offsets))) == move.starting_offsets
