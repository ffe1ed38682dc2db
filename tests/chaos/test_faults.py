"""A fault counts when its effect was there."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.chaos.faults import Faults
from tests.chaos.journal import Journal
from tests.chaos.script import Fault, Kind
from tests.chaos.stage import Stage


class Cluster:
    """One broker with a topic of so many partitions."""

    def __init__(self, partitions: int) -> None:
        self._partitions = partitions

    def end_offsets(self, topic: str) -> dict[int, int]:
        assert self._partitions, f"the broker of {topic} is not there"
        return dict.fromkeys(range(self._partitions), 0)

    def add_partitions(self, _: str, total: int) -> None:
        self._partitions = total


@pytest.mark.parametrize(
    ("partitions", "counted"),
    [
        (2, {"partition added": 1}),
        (6, {"partition added: not done": 1}),
        (0, {"partition added: not done": 1, "broker long in coming": 1}),
    ],
    ids=["done", "nothing to be done", "too late"],
)
def test_it_counts_as_done_only_then(partitions: int, counted: dict[str, int], tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.txt")
    stage = cast(Stage, SimpleNamespace(clusters={"a": Cluster(partitions)}, journal=journal))
    Faults(stage, threading.Event()).play([Fault(0, 0, Kind.PARTITION_ADDED, "a", "ids", 0)])
    assert journal.counts() == counted
