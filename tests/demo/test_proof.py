"""When the demo's proof holds, and when it does not."""

import pytest
from demo.proof import Proof, prove

ALL = [(0, "eu-1"), (1, "eu-2"), (2, "eu-1")]
IN_KAFKA = {"eu-1": 2, "eu-2": 1}


def proof_of(read: list[tuple[int, str]]) -> Proof:
    return prove(read, written=3, in_kafka=IN_KAFKA)


def test_each_order_once_holds_in_any_order() -> None:
    assert proof_of(ALL[::-1]).holds


@pytest.mark.parametrize(
    ("read", "line"),
    [
        (ALL[:-1], "missing                 1: 2"),
        ([*ALL, ALL[1]], "duplicates              1: 1"),
        ([*ALL, (7, "eu-1")], "never written           1: 7"),
        ([*ALL, (-1, "eu-1")], "never written           1: -1"),
    ],
)
def test_it_names_what_is_wrong(read: list[tuple[int, str]], line: str) -> None:
    proof = proof_of(read)
    assert not proof.holds
    assert line in proof.lines()
    assert proof.lines()[-1] == "NOT exactly once"


def test_all_orders_from_the_wrong_cluster_is_no_proof() -> None:
    assert not proof_of([(id_, "eu-1") for id_, _ in ALL]).holds


def test_nothing_written_is_no_proof() -> None:
    assert not prove([], written=0, in_kafka={}).holds
