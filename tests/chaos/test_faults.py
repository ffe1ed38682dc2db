"""A fault counts when its effect was there."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.chaos.driver import Start
from tests.chaos.faults import Faults, has_committed
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
        (2, {"partition added": 1, "partition added: ordered": 1}),
        (6, {"partition added: ordered": 1}),
        (0, {"partition added: ordered": 1, "broker long in coming": 1}),
    ],
    ids=["done", "nothing to be done", "too late"],
)
def test_it_counts_as_done_only_then(partitions: int, counted: dict[str, int], tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.txt")
    stage = cast(Stage, SimpleNamespace(clusters={"a": Cluster(partitions)}, journal=journal))
    Faults(stage, threading.Event()).play([Fault(0, 0, Kind.PARTITION_ADDED, "a", "ids", 0)])
    assert journal.counts() == counted


PROGRESS = json.dumps({"sources": [{"metrics": {"cluster.a-1.state": "unavailable", "cluster.b-1.state": "reading"}}]})


class Broker(Cluster):
    """One that is silent from its so-manieth look on, once it was paused or killed; none: never."""

    def __init__(self, silent_at: int | None) -> None:
        super().__init__(1)
        self.looks, self.done = 0, list[str]()
        self._silent_at = silent_at

    def is_up(self, within: float) -> bool:
        assert within > 0
        self.looks += 1
        return self._silent_at is None or self.looks < self._silent_at

    def __getattr__(self, name: str) -> Callable[[], None]:
        return lambda: self.done.append(name)


@pytest.mark.parametrize("kind", [Kind.BROKER_KILLED, Kind.BROKER_PAUSED, Kind.CLUSTER_DOWN])
@pytest.mark.parametrize(("silent_at", "lasts", "counted"), [(1, 0.0, 1), (3, 5.0, 1), (None, 0.0, 0)])
def test_a_broker_that_answers_all_the_same_is_no_fault(
    kind: Kind, silent_at: int | None, lasts: float, counted: int, tmp_path: Path
) -> None:
    broker, journal = Broker(silent_at), Journal(tmp_path / "journal.txt")
    driver, file = SimpleNamespace(last_progress=lambda: PROGRESS), SimpleNamespace(id_of=lambda name: f"{name}-1")
    stage = cast(Stage, SimpleNamespace(clusters={"a": broker}, driver=driver, file=file, journal=journal))
    # Nobody waits.
    over = cast(threading.Event, SimpleNamespace(wait=lambda _: False))
    Faults(stage, over).play([Fault(0, lasts, kind, "a", "ids", 0.9)])
    said = journal.counts()["cluster down for long, as the query said"]
    assert said == (kind == Kind.CLUSTER_DOWN)
    assert journal.counts()[kind.value] == counted
    assert journal.counts()[f"{kind.value}: ordered"] == 1
    assert broker.done in (["kill", "start"], ["pause", "resume"])


def test_a_batch_counts_for_the_start_before_it_alone() -> None:
    first, second = Start("", 10.0), Start("", 20.0)
    assert not has_committed([], [])
    assert not has_committed([], [first])
    assert has_committed([(11.0, 12.0)], [first])
    assert not has_committed([(11.0, 12.0)], [first, second])
    assert has_committed([(11.0, 21.0)], [first, second])
