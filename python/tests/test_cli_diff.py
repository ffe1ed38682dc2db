"""`dynamic-kafka diff`: how it says what the source decides. That this is right is shown by the suites of the jar."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from checkpoints import COMPAT, kept, written
from conftest import Run
from streams_files import ORDERS, put

from dynamic_kafka.cli import _diff_texts

MOVED = ORDERS.replace("[orders, returns]", "[orders]").replace("eu-1, b", "eu-2, continues: eu-1, b")
CHECKPOINT = COMPAT / "0.1.0" / "checkpoint"


def compared(run: Run, folder: Path, new: str, *more: object) -> tuple[int, str, str]:
    return run("diff", put(folder, ORDERS), put(folder, new, "new.yaml"), *more)


def test_nothing_that_moves_data_is_exit_code_0(run: Run, tmp_path: Path) -> None:
    code, out, err = compared(run, tmp_path, ORDERS)
    assert (code, err) == (0, "")
    assert "Moves no data." in out
    code, out, _err = compared(run, tmp_path, ORDERS.replace("b1:9092", "b7:9092"))
    assert code == 0
    assert "Cluster eu-1 gets new connections: bootstrap.servers." in out


def test_what_moves_data_is_exit_code_1_with_what_happens_to_each_topic(run: Run, tmp_path: Path) -> None:
    code, out, _err = compared(run, tmp_path, MOVED)
    assert code == 1
    assert "drains      us-1     returns  read up to its end, then no more" in out
    assert "takes over  eu-2     orders   continues where eu-1 was read to" in out
    assert "Moves data: drains: 1, hands over: 1, takes over: 1." in out


def test_the_same_as_json(run: Run, tmp_path: Path) -> None:
    code, out, err = compared(run, tmp_path, MOVED, "--json")
    found = json.loads(out)
    assert (code, err, found["moves"]) == (1, "", True)
    assert [(one["cluster"], one["topic"], one["effect"], one.get("other")) for one in found["effects"]] == [
        ("us-1", "returns", "drains", None),
        ("eu-1", "orders", "hands over", "eu-2"),
        ("eu-2", "orders", "takes over", "eu-1"),
    ]


REMOVAL = ORDERS.replace("[orders, returns]", "[orders]")
TYPO = ORDERS.replace("[orders, returns]", "[orders, retunrs]")
MORE = ORDERS.replace("[orders]", "[orders, refunds]")


@pytest.mark.parametrize(
    ("new", "codes"),
    [
        (ORDERS, {"any": 0, "removals": 0, "mistakes": 0}),
        (MORE, {"any": 1, "removals": 0, "mistakes": 0}),
        # Without --connect nobody knows whether what is removed is read.
        (REMOVAL, {"any": 1, "removals": 1, "mistakes": 2}),
        (TYPO, {"any": 1, "removals": 1, "mistakes": 1}),
    ],
)
def test_what_counts_as_found_is_chosen(run: Run, tmp_path: Path, new: str, codes: dict[str, int]) -> None:
    for fail_on, expected in codes.items():
        code, out, err = compared(run, tmp_path, new, "--fail-on", fail_on, "--json")
        found = json.loads(out)
        assert (code, err) == (expected, ""), fail_on
        assert (found["found"], bool(found["unseen"])) == (code == 1, new in (REMOVAL, TYPO) and fail_on == "mistakes")
    if new == REMOVAL:
        assert (
            "Not known: whether returns on us-1 has a backlog"
            in compared(run, tmp_path, new, "--fail-on", "mistakes")[2]
        )


EFFECT = {"cluster": "a", "topic": "t", "effect": "drains", "moves": True}
FOUND = {"connect": True, "moves": True, "suspicions": [], "streams": {"gone": [], "new": []}, "notices": []}


@pytest.mark.parametrize("effect", ["drains", "stops", "is forgotten"])
def test_a_removal_is_a_mistake_where_it_has_a_backlog(effect: str) -> None:
    read, left = ({**FOUND, "effects": [{**EFFECT, "effect": effect, "records": number}]} for number in (0, 7))
    for fail_on, expected in (("any", (True, True)), ("removals", (True, True)), ("mistakes", (False, True))):
        level = _diff_texts.FailOn(fail_on)
        assert (_diff_texts.finding(read, level), _diff_texts.finding(left, level)) == expected
        assert list(_diff_texts.unseen(read, level)) == []


def test_a_duplicate_and_a_query_that_would_fail_are_mistakes_and_a_cluster_that_does_not_answer_is_not_known() -> None:
    still = {**FOUND, "moves": False, "effects": []}
    level = _diff_texts.FailOn.MISTAKES
    duplicate = {"condition": "DYNAMIC_KAFKA_CLUSTER_DUPLICATED", "text": "b is a"}
    assert _diff_texts.finding({**still, "notices": [duplicate]}, level)
    assert _diff_texts.finding({**still, "failure": {"condition": "DYNAMIC_KAFKA_INVALID_METADATA", "text": ""}}, level)
    dead = {**still, "notices": [{"condition": "DYNAMIC_KAFKA_CLUSTER_UNREACHABLE", "text": "b does not answer"}]}
    assert not _diff_texts.finding(dead, level)
    assert list(_diff_texts.unseen(dead, level)) == ["[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] b does not answer"]
    assert list(_diff_texts.unseen({**dead, "connect": False}, level)) == []


def test_a_typo_that_drains_a_stream_is_unmistakable(run: Run, tmp_path: Path) -> None:
    code, out, err = compared(run, tmp_path, ORDERS.replace("streamId: orders", "streamId: ordres"))
    assert (code, err) == (1, "")
    assert "Look twice: stream 'orders' is gone, and 'ordres' is new. The names are nearly the same" in out
    assert "Look twice: stream 'orders' is gone: 3 topics of it come to an end" in out
    assert "drains: 3" in out


@pytest.mark.parametrize(("old", "new"), [("eu-1", "ue-1"), ("[orders]", "[oders]")])
def test_a_typo_in_a_cluster_or_a_topic_is_pointed_out(run: Run, tmp_path: Path, old: str, new: str) -> None:
    code, out, _err = compared(run, tmp_path, ORDERS.replace(old, new))
    assert code == 1
    assert f"'{old.strip('[]')}' is gone, and '{new.strip('[]')}' is new" in out


def test_markdown_shows_it_in_a_pull_request_and_no_name_breaks_it(run: Run, tmp_path: Path) -> None:
    code, out, err = compared(run, tmp_path, ORDERS.replace("eu-1", '"a|b<c>"'), "--markdown")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0].startswith("### ")
    assert "| effect | cluster | topic | stream | how |" in lines
    assert "| **drains** | eu-1 | orders | orders | read up to its end, then no more |" in lines
    assert "| **starts** | a\\|b\\<c\\> | orders | orders | at earliest |" in lines


LONG = "eu-west-1-a-kafka-payments-production-the-one-of-the-second-data-centre"


def test_a_long_id_is_whole_where_there_are_80_columns(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    new = ORDERS.replace("eu-1", LONG).replace("us-1", "us-2")
    old, changed = put(tmp_path, ORDERS), put(tmp_path, new, "new.yaml")
    _code, out, _err = run("diff", old, changed)
    lines = out.splitlines()
    (heading,) = (line for line in lines if line.startswith(" Effect"))
    column = slice(heading.index("Cluster"), heading.index("Topic"))
    assert LONG in "".join(line[column].strip() for line in lines)
    assert "…" not in out
    assert re.findall(r"^ starts .* (\S+) *$", out, re.MULTILINE) == ["earliest", '"', '"']


def test_a_drain_that_has_nothing_left_says_so() -> None:
    drains = {"effect": "drains", "partitions": 2}
    assert _diff_texts.how({**drains, "records": 0}) == "all of it is read: nothing is left to drain (2 partitions)"
    assert _diff_texts.how({**drains, "records": 7}) == "read up to its end, then no more (2 partitions, 7 records)"


def test_options_of_the_query_count(run: Run, tmp_path: Path) -> None:
    code, out, _err = compared(run, tmp_path, MOVED, "-o", "removedClusterPolicy=stop")
    assert code == 1
    assert "stops" in out
    assert "nothing more of it is read" in out
    code, _out, err = compared(run, tmp_path, MOVED, "-o", "streamIds=others")
    assert code == 2
    assert "Neither file has stream others, which streamIds names. They have orders." in " ".join(err.split())


def test_a_new_stream_is_a_finding_since_a_pattern_may_match_it(run: Run, tmp_path: Path) -> None:
    more = ORDERS + ORDERS.replace("streamId: orders", "streamId: refunds").replace("[orders", "[refunds")
    code, out, _err = compared(run, tmp_path, more)
    assert code == 1
    assert "Stream refunds is new" in out
    assert "Nothing of this query moves" in out
    out = compared(run, tmp_path, more, "-o", "streamPattern=.*")[1]
    assert "for a query of the streams that match .*" in out
    assert "starts: 2" in out


def test_with_a_checkpoint_positions_count_and_are_counted(run: Run, tmp_path: Path) -> None:
    entry = "{clusterId: a, bootstrapServers: 'a:1', topics: [kept-orders]}"
    old = f"- {{streamId: kept, clusterMetadataList: [{entry}]}}\n"
    files = put(tmp_path, old), put(tmp_path, old.replace("kept-orders", "kept-old"), "new.yaml")
    code, out, _err = run("diff", *files, "--checkpoint", CHECKPOINT, "--json")
    found = json.loads(out)
    assert (code, found["query"]) == (1, {"streamIds": ["kept"]})
    assert [(one["topic"], one["effect"], one["partitions"]) for one in found["effects"]] == [
        ("kept-orders", "drains", 2),
        ("kept-old", "resumes", 1),
    ]
    assert "(2 partitions)" in run("diff", *files, "--checkpoint", f"{CHECKPOINT}/sources/0")[1]


def test_of_several_sources_one_is_to_be_named(run: Run, tmp_path: Path) -> None:
    text = (CHECKPOINT / "offsets" / "1").read_text().splitlines()[2]
    checkpoint = written(tmp_path / "two", {0: f"{text}\n{text}"}, (0,))
    code, _out, err = compared(run, tmp_path, ORDERS, "--checkpoint", checkpoint)
    assert code == 2
    assert f"Name the folder of one: {checkpoint}/sources/0, {checkpoint}/sources/1." in err
    assert compared(run, tmp_path, ORDERS, "--checkpoint", f"{checkpoint}/sources/1", "--json")[0] in (0, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "removedClusterPolicy=forget"], "INVALID_OPTION"),
        (["-o", "colour=red"], "colour"),
        (["--markdown", "--json"], "exclude each other"),
        (["--checkpoint", "nowhere"], "no checkpoint"),
        (["--checkpoint", kept("union")[-1]], "there is no source of this kind"),
        (["--checkpoint", f"{CHECKPOINT}/sources/7"], "there is no source of this kind"),
    ],
)
def test_what_can_not_be_looked_at_is_exit_code_2(run: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    code, out, err = compared(run, tmp_path, MOVED, *arguments)
    assert code == 2
    assert message in out + err
    assert "Traceback" not in err


def test_a_file_that_can_not_be_used_is_exit_code_2(run: Run, tmp_path: Path) -> None:
    code, _out, err = compared(run, tmp_path, "- {streamId: orders}")
    assert code == 2
    assert "new.yaml can't be used (1 problem)" in err
