"""`dynamic-kafka mirror`: what it says of checkpoints. On real ones: tests/scenarios/test_mirrormaker.py."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from hostile import ID, forged
from streams_files import ORDERS, dead_address, put

ARGUMENTS = ("--source-alias", "eu-1", "--group", "billing")


def one(topic: str, partition: int, offset: int) -> dict[str, Any]:
    at = f"2026-01-01T00:00:0{partition}Z"
    return {"topic": topic, "partition": partition, "upstreamOffset": offset + 5, "offset": offset, "at": at}


@pytest.fixture
def said(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the command prints if the jar has found this."""
    path = put(tmp_path, ORDERS)

    def act(listed: list[dict[str, Any]], *checkpoints: Mapping[str, Any], more: tuple[str, ...] = ()) -> Any:
        monkeypatch.setattr(
            "dynamic_kafka.cli.mirror.ask", lambda *_args, **_more: {"checkpoints": checkpoints, "listed": listed}
        )
        return run("mirror", "us-1", "--streams", path, *ARGUMENTS, *more)

    return act


def test_offsets_are_printed_alone_and_words_about_them_say_that_they_may_repeat(said: Any) -> None:
    listed = [{"topic": "eu-1.orders", "records": {"0": 12, "1": 0, "2": 3}}]
    code, out, err = said(listed, one("eu-1.orders", 0, 7), one("eu-1.orders", 2, 0))
    assert code == 0
    assert json.loads(out) == {
        "": "earliest",
        "us-1": {"*": "earliest", "eu-1.orders": {"*": "earliest", "0": 7, "2": 0}},
    }
    assert "May repeat: " in err
    assert "0: 7, 2: 0" in err
    assert "2026-01-01T00:00:02Z" in err
    assert "So eu-1.orders is orders of eu-1." in err
    assert "begins at its earliest record" in err


def test_what_has_no_checkpoint_is_to_decide_if_it_has_records(said: Any) -> None:
    listed = [
        {"topic": "orders", "records": {"0": 12, "1": 3, "2": 0, "3": 4}},
        {"topic": "bills", "problem": {"condition": "DYNAMIC_KAFKA_TOPIC_NOT_FOUND", "text": "It is not there."}},
    ]
    code, out, err = said(listed, one("orders", 0, 7), one("returns", 0, 1), more=("--json",))
    found = json.loads(out)
    assert (code, err) == (1, "")
    assert found["findings"] == [
        "orders has no checkpoint of the group for partition 1, 3. All 7 offsets there are read. If the group had read "
        "them, they come again.",
        "[DYNAMIC_KAFKA_TOPIC_NOT_FOUND] It is not there.",
    ]
    assert found["policy"] == "identity"
    assert "topics have the same names on us-1 as on eu-1" in found["notes"][0]
    assert "does not list returns, of which the group has checkpoints, too" in found["notes"][1]
    assert "returns" not in found["startingOffsets"]["us-1"]


def test_names_of_both_kinds_are_told_apart(said: Any) -> None:
    listed = [{"topic": "orders", "records": {"0": 1}}, {"topic": "eu-1.orders", "records": {"0": 1}}]
    code, out, _err = said(listed, one("orders", 0, 7), one("eu-1.orders", 0, 1), more=("--json",))
    found = json.loads(out)
    assert (code, found["policy"]) == (0, "default")
    assert "taken for topics of us-1 itself: orders." in found["notes"][0]


def test_a_file_that_lists_other_names_is_refused(said: Any) -> None:
    code, out, err = said([{"topic": "orders", "records": {"0": 1}}], one("eu-1.orders", 0, 7))
    assert (code, out) == (2, "")
    assert "It lists orders; the group has those of eu-1.orders." in err


def test_names_are_shown_and_not_obeyed(said: Any) -> None:
    code, _out, err = said([{"topic": ID, "records": {"0": 1, "1": 1}}], one(ID, 0, 7), one(f"eu-1.{ID}", 0, 7))
    assert (code, forged(err)) == (1, [])


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("eu-9", "does not list cluster eu-9. It lists eu-1, us-1."),
        ("us-1", "CLUSTER_UNREACHABLE"),
        ("eu-1", "${env:NO_SUCH} can't be resolved on this machine"),
    ],
)
def test_a_cluster_that_can_not_be_asked_is_exit_code_2(run: Run, tmp_path: Path, target: str, message: str) -> None:
    secret = "properties: {sasl.jaas.config: '${env:NO_SUCH}'}"
    text = ORDERS.replace("topics: [orders]}", f"topics: [orders], {secret}}}").replace("u1:9092", dead_address())
    code, out, err = run("mirror", target, "--streams", put(tmp_path, text), *ARGUMENTS, "--timeout", "1s")
    assert (code, out) == (2, "")
    assert message in err


def test_a_file_with_problems_is_exit_code_2(run: Run, tmp_path: Path) -> None:
    code, out, err = run("mirror", "us-1", "--streams", put(tmp_path, "- streamId: a\n"), *ARGUMENTS)
    assert (code, out) == (2, "")
    assert "INVALID_METADATA" in err
